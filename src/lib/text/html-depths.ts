/** The most elements that are open at once: no page has as many, and parsers take time with the square of them. */
const MOST_OPEN = 500
const TAG = /<(\/?)([a-z][^\s/>]*)/gi
const VOID: ReadonlySet<string> = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr'],
])
/** Elements that end the one before, where that is still open. */
const ENDING: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['p', new Set(['p'])],
  ['li', new Set(['li'])],
  ['dt', new Set(['dt', 'dd'])],
  ['dd', new Set(['dt', 'dd'])],
  ['td', new Set(['td', 'th', 'thead'])],
  ['th', new Set(['td', 'th'])],
  ['tr', new Set(['tr', 'td', 'th'])],
  ['option', new Set(['option'])],
])
/** Matches the tag of what readers do not see: without it, they would. */
const UNSEEN =
  /^<(?:script|style|textarea|option|noscript|template|xmp|noembed|noframes|plaintext|title|svg|math|iframe|object)\b|\shidden\b|\sstyle\s*=/i

/**
 * Returns HTML without the tags of elements that are nested senselessly deep, their text among it; it ends where one of these hides
 * its text. Linear.
 */
export function withoutDepths(html: string): string {
  if (html.split('<', MOST_OPEN + 1).length <= MOST_OPEN) return html
  const open: string[] = []
  const times = new Map<string, number>()
  let [made, from] = ['', 0]
  for (const { index, 0: mark, 1: slash, 2: tag = '' } of html.matchAll(TAG)) {
    const name = tag.toLowerCase()
    if (index < from || VOID.has(name)) continue
    if (slash !== '') {
      while ((times.get(name) ?? 0) > 0 && close(open, times) !== name);
      continue
    }
    while (ENDING.get(name)?.has(open.at(-1) ?? '')) close(open, times)
    if (open.length < MOST_OPEN) {
      open.push(name)
      times.set(name, (times.get(name) ?? 0) + 1)
      continue
    }
    const end = html.indexOf('>', index + mark.length)
    made += html.slice(from, index)
    from = end < 0 ? html.length : end + 1
    if (UNSEEN.test(html.slice(index, Math.min(from, index + 10_000)))) return made
  }
  return made + html.slice(from)
}

function close(open: string[], times: Map<string, number>): string | undefined {
  const name = open.pop()
  if (name !== undefined) times.set(name, (times.get(name) ?? 1) - 1)
  return name
}
