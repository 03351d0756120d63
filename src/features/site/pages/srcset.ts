const DESCRIPTOR = /^(?:[1-9][0-9]{0,8}w|[0-9]{1,9}(?:\.[0-9]{1,9})?x|\.[0-9]{1,9}x)$/
const SPACE = /[\t\n\f\r ]/

/**
 * The candidates of a `srcset` (HTML 4.8.4.2.1) that are well-formed, each with one descriptor at most, written in the usual way;
 * undefined where there is none. The parser that sanitizing goes on with prints the others to stdout, as they are. `resolve`
 * rewrites each address.
 */
export function plainSrcset(text: string, resolve = (href: string): string => href): string | undefined {
  const found: string[] = []
  for (let at = 0; at < text.length; ) {
    if (text[at] === ',' || SPACE.test(text[at] ?? '')) {
      at++
      continue
    }
    const start = at
    while (at < text.length && !SPACE.test(text[at] ?? '')) at++
    const word = text.slice(start, at)
    const url = withoutCommas(word)
    const end = url === word ? endOf(text, at) : at
    const descriptor = text.slice(at, end).trim()
    at = end
    if (descriptor === '') found.push(resolve(url))
    else if (DESCRIPTOR.test(descriptor)) found.push(`${resolve(url)} ${descriptor}`)
  }
  return found.length > 0 ? found.join(', ') : undefined
}

/** An address that ends with commas has no descriptor: the next candidate follows. */
function withoutCommas(word: string): string {
  let end = word.length
  while (word[end - 1] === ',') end--
  return word.slice(0, end)
}

function endOf(text: string, from: number): number {
  const comma = text.indexOf(',', from)
  return comma < 0 ? text.length : comma
}
