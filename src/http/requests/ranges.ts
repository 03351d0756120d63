import type { ByteRange } from '#core/media/blobs.ts'

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/

/**
 * Returns the part that a `Range` header asks for of `size` bytes (RFC 9110 §14.2); undefined where all is to be answered, as for
 * several parts; 'none' where there is nothing at that place.
 */
export function rangeIn(header: string | undefined, size: number): Required<ByteRange> | 'none' | undefined {
  const [, first = '', last = ''] = ONE_RANGE.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '')
    return last.replace(/^0+/, '') === '' || size === 0 ? 'none' : { start: Math.max(0, size - Number(last)), end: size }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'none' : { start, end }
}
