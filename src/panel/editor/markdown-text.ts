/** Returns text with what Markdown would take for syntax escaped, and its spaces as HTML shows them. */
export function escapeText(text: string): string {
  return text
    .replaceAll(/[\t\n\f\r ]+/g, ' ')
    .replaceAll(/[\\`*[]|<(?=[a-z/!?])|&(?=#?\w+;)|~(?=~)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/giu, '\\$&')
}

/** Returns the words of a run: one space between them, none around line breaks. */
export function wordsOf(run: string): string {
  const words = run
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/ ?\u00a0[ \u00a0]+| \u00a0/g, ' ')
    .replaceAll(/ ?(\\\n) ?/g, '$1')
  const start = /^(?:\\\n|\s)+/.exec(words)?.[0].length ?? 0
  let end = words.length
  // Backwards: an expression for the end would begin at each space anew.
  while (end > start && /\s/.test(words[end - 1] ?? '')) end -= words.startsWith('\\\n', end - 2) ? 2 : 1
  return words.slice(start, Math.max(start, end))
}

/** Returns the length of the longest run of backticks. */
export function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** Escapes what would begin a block at the start of a line. */
export function lineStarts(text: string): string {
  return text.replaceAll(/^(#{1,6}(?=\s|$)|[-+>]|~~~|=+$)/gm, '\\$1').replaceAll(/^(\d{1,9})([.)])(?=\s|$)/gm, '$1\\$2')
}

/** Returns text between marks; spaces at its ends stay outside, where the marks count. */
export function surrounded(text: string, mark: string): string {
  const words = wordsOf(text)
  if (words === '') return text
  return `${/^\s/.test(text) ? ' ' : ''}${mark}${words}${mark}${/\s$/.test(text) ? ' ' : ''}`
}

/** Returns code within a line, between as many backticks as it needs. */
export function inCode(text: string): string {
  const code = text.replaceAll(/\s+/g, ' ')
  if (code.trim() === '') return code
  const fence = '`'.repeat(longestRun(code) + 1)
  const space = /^`|`$/.test(code) ? ' ' : ''
  return fence + space + code + space + fence
}

/** Returns a block of code. */
export function fenced(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  const lines = text.replace(/^\n/, '').split('\n')
  while (lines.at(-1) === '') lines.pop()
  return `${fence}${language}\n${lines.join('\n')}\n${fence}`
}

/** Returns whether an element makes its text bold. */
export function isBold(name: string, style: string): boolean {
  return /^(?:b|strong)$/.test(name) || /font-weight:\s*(?:bold|[6-9]00)/i.test(style)
}

/** Returns whether an element makes its text italic. */
export function isItalic(name: string, style: string): boolean {
  return /^(?:i|em|cite|dfn|var)$/.test(name) || /font-style:\s*italic/i.test(style)
}

/** Returns whether a style takes back what the name of an element says, as a `<b>` around all that Google Docs copies. */
export function isPlain(name: string, style: string): boolean {
  return (
    (name === 'b' && /font-weight:\s*(?:normal|[1-5]00)/i.test(style)) || (name === 'i' && /font-style:\s*normal/i.test(style))
  )
}
