import t from 'tap'
import { readSums, sumsOf, sumsText } from '#modules/analytics/day-sums.ts'
import { DayBounds, type PageTally, pageOf, readTally, tallyText, unionOf } from '#modules/analytics/tally.ts'

t.test('of more visitors than can be kept an even part is, and what it stands for is near', async (t) => {
  const bounds = new DayBounds(1000)
  const pages = new Map<string, PageTally>()
  for (let n = 0; n < 50_000; n++) {
    const visitor = Number((BigInt(n + 1) * 0x9e3779b97f4an) % 2n ** 48n)
    const { path, isNew } = bounds.admit(`/${n % 2}`, '', visitor)
    if (isNew) pageOf(pages, path).visitors.add(visitor)
  }
  const tally = readTally(tallyText({ level: bounds.level, pages }))
  t.ok(bounds.level >= 5)
  const { visitors, pages: sums } = sumsOf('2026-11-28', unionOf([tally, tally]))
  t.ok(Math.abs(visitors - 50_000) < 5000, String(visitors))
  t.ok(Math.abs((sums.get('/0')?.visitors ?? 0) - 25_000) < 4000)
  const half = { level: 1, pages: new Map([['/0', { views: new Map(), visitors: new Set([1, 2 ** 47 + 1]) }]]) }
  t.equal(sumsOf('2026-11-28', unionOf([half])).visitors, 2, 'one that was counted before the level rose is left out')
})

t.test('made-up paths and referrers come under one name', async (t) => {
  const bounds = new DayBounds()
  const pages = new Map<string, PageTally>()
  for (let n = 0; n < 15_000; n++) {
    const { path, host } = bounds.admit(`/made-up-${n}`, `host-${n}.example`, undefined)
    const { views } = pageOf(pages, path)
    views.set(host, (views.get(host) ?? 0) + 1)
  }
  bounds.admit('/made-up-1', '', undefined)
  t.equal(pages.size, 10_001)
  t.equal(new Set([...pages.values()].flatMap(({ views }) => [...views.keys()])).size, 2001)
  const sums = sumsOf('2026-11-28', { level: 0, pages })
  const text = sumsText(sums)
  t.ok(text.length < 115_000, `${text.length}`)
  const kept = readSums('2026-11-28', text)
  t.equal(kept.views, 15_000)
  t.equal(kept.pages.size, 1001)
  t.equal(
    [...kept.pages.values()].reduce((sum, { views }) => sum + views, 0),
    15_000,
  )
  t.equal(
    [...kept.referrers.values()].reduce((sum, n) => sum + n, 0),
    15_000,
  )
  t.ok(kept.referrers.size <= 501)
  const long = new Map(
    Array.from({ length: 900 }, (_, n) => [
      `/${'ä'.repeat(490)}-${n}`,
      { views: new Map([['', 2]]), visitors: new Set<number>() },
    ]),
  )
  const bytes = Buffer.byteLength(sumsText(sumsOf('2026-11-28', { level: 0, pages: long })))
  t.ok(bytes < 115_000, `${bytes}`)
})

t.test('made-up referrers and pages of any length and with any sign leave a day that can be kept', async (t) => {
  const pages = new Map<string, PageTally>()
  for (let n = 0; n < 1500; n++) {
    const host = `${n % 2 ? '"'.repeat(250) : 'a'.repeat(8000)}${n}`
    const { views } = pageOf(pages, `/${'"'.repeat(n % 400)}${n % 700}`)
    views.set(host, 3).set(`b${n}`, 2).set('', 1)
  }
  const text = sumsText(sumsOf('2026-11-28', { level: 0, pages }))
  t.ok(JSON.stringify(text).length < 175_000, `${JSON.stringify(text).length}`)
  const kept = readSums('2026-11-28', text)
  t.equal(kept.views, 9000)
  t.equal(
    [...kept.referrers.values()].reduce((sum, n) => sum + n, 0),
    9000,
  )
})
