/** Plain data: texts, numbers, booleans, null, undefined, lists and objects of them. */
export type KeyPart = string | number | boolean | null | undefined | object

/**
 * One string for some parts, for maps and caches: equal for equal parts and for no others, whatever texts hold. Numbers are equal
 * as `Map` has it, objects by their own keys in order. Throws TypeError for what is no plain data.
 */
export function cacheKey(...parts: readonly KeyPart[]): string {
  let key = ''
  for (const part of parts) key += `${textOf(part)},`
  return key
}

/** No text is the beginning of another with something after it that could begin the next part. */
function textOf(part: unknown): string {
  if (typeof part === 'string') return JSON.stringify(part)
  if (typeof part === 'object' && part !== null) return Array.isArray(part) ? `[${cacheKey(...part)}]` : objectText(part)
  // Not as JSON has it, where what is not finite is null.
  if (typeof part === 'number' || typeof part === 'boolean' || part == null) return String(part)
  throw new TypeError(`A ${typeof part} is no part of a key.`)
}

function objectText(part: object): string {
  const prototype: unknown = Object.getPrototypeOf(part)
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('Only a plain object is part of a key.')
  let text = '{'
  for (const [name, value] of Object.entries(part)) text += `${JSON.stringify(name)}:${textOf(value)},`
  return `${text}}`
}
