/** The name and the value of a parameter or a field; undefined for one that is not well encoded in UTF-8. */
export type EncodedPair = readonly [name: string | undefined, value: string | undefined]

/** Yields what a query or a form's body holds, in its order. */
export function* pairsOf(text: string): Generator<EncodedPair> {
  for (let at = 0; at <= text.length; ) {
    const ampersand = text.indexOf('&', at)
    const end = ampersand < 0 ? text.length : ampersand
    if (end > at) yield pairOf(text.slice(at, end))
    at = end + 1
  }
}

function pairOf(part: string): EncodedPair {
  const equals = part.indexOf('=')
  return [decoded(equals < 0 ? part : part.slice(0, equals)), decoded(equals < 0 ? '' : part.slice(equals + 1))]
}

function decoded(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/**
 * Returns the parts of a name with brackets: `gallery[0][alt]` is gallery, 0, alt, and the last of `tags[]` is empty. Undefined where
 * brackets do not pair, or something stands between or behind them.
 */
export function nameParts(name: string): string[] | undefined {
  const open = name.indexOf('[')
  if (open < 0) return name.includes(']') ? undefined : [name]
  const [first, rest] = [name.slice(0, open), name.slice(open)]
  if (first === '' || first.includes(']') || !/^(?:\[[^[\]]*\])+$/.test(rest)) return undefined
  return [first, ...rest.slice(1, -1).split('][')]
}
