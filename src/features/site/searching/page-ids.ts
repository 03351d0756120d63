import { hash } from 'node:crypto'
import { keyText } from '#core/key.ts'
import { compareText } from '#lib/text/compare.ts'
import type { Entry } from '../outline/entry.ts'
import { ID_SPACE } from './posting-code.ts'

/** Hexadecimal digits of a hash: 32 bits, of which the highest make the number. */
const HASH_DIGITS = 8
const HASH_SPACE = 2 ** 32

/**
 * Numbers the pages of a search, by number in the order of their keys' hashes: a page keeps its number whatever comes or goes beside
 * it, but for the few whose numbers would be the same, of which the later one gets the next that is free.
 */
export function pageIds(entries: Iterable<Entry>): Map<number, Entry> {
  const hashed = [...entries].map((entry) => {
    const key = keyText(entry.key)
    return { entry, key, hash: Number.parseInt(hash('sha256', key, 'hex').slice(0, HASH_DIGITS), 16) }
  })
  hashed.sort((a, b) => a.hash - b.hash || compareText(a.key, b.key))
  const ids = new Map<number, Entry>()
  for (const one of hashed) {
    let id = Math.floor(one.hash / (HASH_SPACE / ID_SPACE))
    while (ids.has(id)) id = (id + 1) % ID_SPACE
    ids.set(id, one.entry)
  }
  return ids
}
