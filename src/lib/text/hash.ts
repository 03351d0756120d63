/**
 * Returns a hash of a text's UTF-16 units, 16 hexadecimal digits. It tells whether two sides hold the same text; it is no defence
 * against somebody who wants it to agree. The same in browsers and on the server, and at once.
 */
export function textHash(text: string): string {
  let [low, high] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 2654435761)
    high = Math.imul(high ^ unit, 1597334677)
  }
  const mixedLow = mix(low, high)
  return [mix(high, mixedLow), mixedLow].map((half) => half.toString(16).padStart(8, '0')).join('')
}

function mix(one: number, other: number): number {
  return (Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909)) >>> 0
}
