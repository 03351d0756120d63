/** Signs that mean something wherever they stand, or in company. */
const SIGNS = /[\\`*[\]]|_|<(?=[a-z/!?])|&(?=#?\w{1,40};)|~(?=~)|(?<=~)~|=(?==)|(?<==)=|\$|\{(?=[{%#:<])|\|/gi
const LETTER = /[\p{L}\p{N}]/u
/** The beginnings of lines that would make a block of them. */
const BLOCK = /^([ \t]*)(?:([#>+:-]|={1,}\s*$|~{3})|(\d{1,9})([.)]))/

/** Returns a text such that Markdown shows it as it is. Its white space is that of one line. */
export function escapedText(text: string): string {
  return text.replace(SIGNS, (sign, at: number) => {
    const isWithinWord = sign === '_' && LETTER.test(text[at - 1] ?? '') && LETTER.test(text[at + 1] ?? '')
    return isWithinWord ? sign : `\\${sign}`
  })
}

/** Returns lines of Markdown none of which begins a block. */
export function asParagraph(lines: string): string {
  return lines
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(BLOCK, (_, space: string, sign = '', number = '', dot = '') =>
          number === '' ? `${space}\\${sign}` : `${space}${number}\\${dot}`,
        ),
    )
    .join('\n')
}

/** Returns an address as the destination of a link. */
export function destination(address: string): string {
  const plain = address.trim().replace(/[\s<>\\]/g, (sign) => encodeURIComponent(sign))
  return plain.replace(/[()]/g, (sign) => `\\${sign}`)
}

/** Returns a text as the title of a link. */
export function titled(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain === '' ? '' : ` "${plain.replace(/[\\"]/g, '\\$&').replace(/&(?=#?\w{1,40};)/g, '\\&')}"`
}

/** Returns code between as many backticks as it needs. */
export function codeSpan(code: string): string {
  const text = code.replace(/\s+/g, ' ').trim()
  if (text === '') return ''
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 0)
  const ticks = '`'.repeat(longest + 1)
  return /^`|`$/.test(text) ? `${ticks} ${text} ${ticks}` : `${ticks}${text}${ticks}`
}

/** Returns code as a block. */
export function codeBlock(code: string, language: string): string {
  const longest = [...code.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${code.replace(/\r\n?/g, '\n').replace(/^\n|(?<!\n)\n+$/g, '')}\n${fence}`
}
