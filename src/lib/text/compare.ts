/** Code point order of two strings (UTF-16 order differs beyond the basic plane). */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const one = a.charCodeAt(i)
    const two = b.charCodeAt(i)
    if (one !== two) return codePointRank(one) - codePointRank(two)
  }
  return a.length - b.length
}

/** Ranks surrogates above all other units: they are of code points above these. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
