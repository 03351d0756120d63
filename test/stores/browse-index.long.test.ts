import t from 'tap'
import { keyOf } from '#core/key.ts'
import { BrowseIndex } from '#stores/files/index/browse-index.ts'
import { TestClock } from '#support/clock.ts'
import { plainTypes } from '#support/types.ts'

t.test('a status changes by the clock where that of very many others is still to come', async (t) => {
  const clock = new TestClock()
  const index = new BrowseIndex(plainTypes(), clock)
  const ends = [60_000, ...Array.from({ length: 150_000 }, () => 3_600_000)]
  for (const [n, after] of ends.entries()) {
    const fields = { status: 'published', expires_at: new Date(clock.now() + after).toISOString() }
    index.set({ key: keyOf('posts', `p${n}`), fields, version: '0'.repeat(40) })
  }
  t.equal(index.page('posts', { live: true, limit: 1 }).total, ends.length)
  clock.advance(120_000)
  t.equal(index.page('posts', { live: true, limit: 1 }).total, ends.length - 1)
})
