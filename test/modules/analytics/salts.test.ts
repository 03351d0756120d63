import t from 'tap'
import { makeAnalytics } from '#modules/analytics/analytics.ts'
import { saltOf, visitorOf } from '#modules/analytics/salts.ts'
import { TestModule } from '#support/module-context.ts'
import { eachStore } from '#support/stores.ts'

const DAY = 86_400_000

t.test('one of many makes the salt of a day, and it is gone after 48 hours', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { facts } = new TestModule('analytics', makeAnalytics(), opened).context.store
    const salts = await Promise.all(Array.from({ length: 20 }, () => saltOf(facts, '2026-01-15')))
    t.equal(new Set(salts).size, 1)
    const [salt = ''] = salts
    t.not(await saltOf(facts, '2026-01-16'), salt)
    opened.clock.advance(2 * DAY)
    t.not(await saltOf(facts, '2026-01-15'), salt)
    t.not(visitorOf(salt, 'who'), visitorOf(await saltOf(facts, '2026-01-15'), 'who'))
  }),
)
