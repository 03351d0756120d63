import t from 'tap'
import { makeAnalytics } from '#modules/analytics/analytics.ts'
import { TestModule } from '#support/module-context.ts'
import { eachStore } from '#support/stores.ts'

const DAY = 86_400_000

t.test('made-up referrers keep no day from being rolled up and forgotten', (t) =>
  eachStore(t, { now: '2026-11-28T12:00:00.000Z' }, async (t, opened) => {
    const module = new TestModule('analytics', makeAnalytics(), opened, { config: { days: 2, ignore: [] } })
    const { context, definition } = module
    const visited = (referer: string) =>
      definition.visited?.(
        {
          ...{ path: '/', host: 'example.org', ip: '192.0.2.1', isSignedIn: false, method: 'GET', at: context.now() },
          headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0', referer },
        },
        context,
      )
    for (let n = 0; n < 400; n++) {
      visited(`https://${'a'.repeat(1500)}${n}.example/`)
      visited(`made-up://${'"'.repeat(240)}${n}/`)
      visited(`https://${'a'.repeat(230)}${n}.example/`)
    }
    visited('android-app://com.example.reader/')
    visited('https://[2001:db8::1]/')
    const { body } = await module.ask('GET /api/analytics')
    const { referrers } = (body as { data: { referrers: { host: string }[] } }).data
    t.equal(referrers.length, 402, 'a host that can be none is not said')
    t.match(new Set(referrers.map(({ host }) => host)), new Set(['com.example.reader', '[2001:db8::1]']))
    opened.clock.advance(DAY + 3_600_000)
    await module.work('roll-up')
    const count = async (name: string) => (await context.store.collection(name).list()).total
    t.equal(await count('parts'), 0, 'no number of a visitor is left')
    t.equal(await count('days'), 1)
    opened.clock.advance(2 * DAY)
    await module.work('roll-up')
    t.equal(await count('days'), 0)
    await definition.close?.(context)
  }),
)
