/** Signs that a terminal acts on or that turn the direction of text, but for line ends and tabs. */
const ODD = '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]'

/** Source of the pattern for the characters that `visible` escapes, for use in larger patterns. */
export const UNSEEN = `${ODD}|\\r(?!\\n)`

/** Makes the control characters of a text visible, as JSON escapes (`\u001b`), so that a terminal does not act on them. */
export function visible(text: string): string {
  return text.replaceAll(new RegExp(UNSEEN, 'g'), escaped)
}

/** The escape of one sign. */
export function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}
