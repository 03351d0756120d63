const FENCE = /^ {0,3}(`{3,}|~{3,})/
const INLINE_CODE = /`+[^`]*`+/g
/** Matches what only text with a comment of another tool has. */
const MAY_HAVE_ONE = /%%|[{]|<%|#\+begin_comment/i
/** Matches what begins a comment of another tool. */
const BEGINS = new RegExp(
  [
    // Liquid and Django; Hugo, kramdown and MDX.
    /\{%-?\s*(?:comment\b|#)/,
    /\{\{-?\s?\/\*|\{\{[<%]\s*comment\b|\{::comment\b|\{\/\*/,
    // Handlebars, Blade, ERB, CriticMarkup, Org.
    /\{\{~?!|\{\{--|<%#|<%--|\{>>[^{}]*<<\}|^#\+begin_comment\b/,
    // Obsidian and Nunjucks, on one line.
    /%%[^%]+%%|^%%\s*$|\{#[^{}]*#\}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)
/** The comments that may go on over lines, by what begins one at the end of a line and what ends it; none where nothing does. */
const OVER_LINES = [
  { begins: /(?:^|\s)%%/, ends: /%%\s*$/ },
  { begins: /\{#(?:\s[^{}]*)?$/, ends: /#\}/ },
] as const

/** Returns the offset of the first comment in a form of another tool, which is shown as text here; code is passed over. */
export function foreignComment(body: string): number | undefined {
  if (!MAY_HAVE_ONE.test(body)) return undefined
  const begun: (number | undefined)[] = OVER_LINES.map(() => undefined)
  let [at, fence] = [0, '']
  for (const line of body.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== '') {
      if (mark?.startsWith(fence)) fence = ''
    } else if (mark !== undefined) fence = mark
    else {
      // Blanked and not removed, so that places stay.
      const text = line.replace(INLINE_CODE, (code) => ' '.repeat(code.length))
      const ended = begun.find((start, n) => start !== undefined && OVER_LINES[n]?.ends.test(text))
      if (ended !== undefined) return ended
      const found = text.search(BEGINS)
      if (found >= 0) return at + found
      OVER_LINES.forEach(({ begins }, n) => {
        const start = text.search(begins)
        if (start >= 0) begun[n] ??= at + start + (/^\s/.test(text.slice(start)) ? 1 : 0)
      })
    }
    at += line.length + 1
  }
  return undefined
}
