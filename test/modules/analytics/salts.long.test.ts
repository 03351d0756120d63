import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeAnalytics } from '#modules/analytics/analytics.ts'
import { saltOf, visitorOf } from '#modules/analytics/salts.ts'
import { TestModule } from '#support/module-context.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const DAY = 86_400_000
const NOW = '2026-11-28T12:00:00.000Z'

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

t.test('a node that dies on its turn holds up the others for no longer than that', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { facts } = new TestModule('analytics', makeAnalytics(), opened).context.store
    await facts.add('salt-2026-01-15-turn', 1, 10_000)
    opened.clock.advance(10_000)
    t.match(await saltOf(facts, '2026-01-15'), /^[\w-]{22}$/)
  }),
)

t.test('who has all that is kept can tell a visitor while the salt is there, and not after', (t) =>
  eachStore(t, { now: NOW }, async (t, opened) => {
    const module = new TestModule('analytics', makeAnalytics(), opened)
    const visitor = { host: 'example.org', ip: '192.0.2.77', headers: { 'user-agent': 'Somebody/1.0 unusual' } }
    const whole = { ...visitor, path: '/secret', method: 'GET', isSignedIn: false }
    module.definition.visited?.({ ...whole, at: opened.clock.now() }, module.context)
    await module.definition.close?.(module.context)
    const identity = '192.0.2.77\nexample.org\nSomebody/1.0 unusual'
    const tells = async () => {
      const kept = await allKept(module, opened)
      const numbers = salts(kept).map((salt) => visitorOf(salt, identity))
      return numbers.some((number) => kept.includes(numberText(number)))
    }
    t.ok(await tells())
    const kept = await allKept(module, opened)
    for (const secret of ['192.0.2', 'unusual', 'Somebody']) t.notOk(kept.includes(secret), secret)
    opened.clock.advance(DAY / 2 + 3_600_000)
    await module.work('roll-up')
    t.notOk(await tells(), 'the numbers are gone an hour after the day')
    opened.clock.advance(2 * DAY)
    await opened.ledger.put('anything', 1, 1000)
    await opened.ledger.close()
    t.strictSame(salts(await allKept(module, opened)), [], 'and the salt after 48 hours')
    t.match(await module.ask('GET /api/analytics?days=4'), { body: { data: { pages: [{ path: '/secret', visitors: 1 }] } } })
  }),
)

/** Everything that could be a salt. */
function salts(text: string): string[] {
  return text.match(/(?<![\w-])[\w-]{22}(?![\w-])/g) ?? []
}

/** A visitor's number, as it is kept. */
function numberText(visitor: number): string {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(visitor, 0, 6)
  return bytes.toString('base64url')
}

/** All bytes on the disk, or in the tables that a module's documents and facts are in. */
async function allKept(module: TestModule, { site, ledger }: OpenedStore): Promise<string> {
  if (site) {
    const files = readdirSync(site.path('.cms'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n')
  }
  const parts: unknown[] = []
  for await (const fact of ledger.facts()) parts.push(fact)
  for (const name of ['parts', 'days']) parts.push(await module.context.store.collection(name).list())
  return JSON.stringify(parts)
}
