import { t } from 'tap'
import { localAccess } from '#core/access/access.ts'
import { mediaErrors } from '#core/media/media-values.ts'
import { checkLookups } from '#core/queries/lookups.ts'
import type { Store } from '#core/store.ts'
import { plainTypes } from '#support/types.ts'

const access = localAccess({ name: 'Ada', email: 'ada@example.org' })
const types = plainTypes({
  posts: { fields: { related: { type: 'reference', to: 'posts', multiple: true }, pictures: { type: 'media', multiple: true } } },
})
const fields = types.get('posts')?.fields ?? new Map()
const names = Array.from({ length: 100 }, (_, n) => `a${n}`)

t.test('others are answered while a store that answers at once is asked for many references', async (t) => {
  const store = { get: async () => worked() } as unknown as Store
  const deps = { store, types, clock: { now: () => 0 } }
  const seen = turns()
  await t.rejects(checkLookups(deps, access, { fields }, { related: names }, undefined), /The selected related\.0 is invalid/)
  t.ok(seen() > 3)
})

t.test('and for many media', async (t) => {
  const media = { site: { url: 'http://localhost' }, typeOf: async () => worked() }
  const seen = turns()
  const errors = await mediaErrors(media as never, access, fields, { pictures: names.map((name) => `${name}.jpg`) })
  t.equal(Object.keys(errors).length, names.length)
  t.ok(seen() > 3)
})

/** Works for a millisecond. */
function worked(): undefined {
  for (const end = performance.now() + 1; performance.now() < end; );
}

/** Counts how often others had their turn from now on, until it is asked. */
function turns(): () => number {
  let [count, isOver] = [0, false]
  const turn = () => {
    count++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    isOver = true
    return count
  }
}
