import t from 'tap'
import { features as switches } from '#config/schema/serving.ts'
import type { Jobs, Workers } from '#core/jobs/jobs.ts'
import { keyOf } from '#core/key.ts'
import { permalinkOf } from '#core/permalink.ts'
import type { Feature } from '#features/feature.ts'
import { FeatureSet } from '#features/feature-set.ts'
import { TestApp } from '#support/app.ts'
import { TestClock } from '#support/clock.ts'
import { MemoryJobs, MemoryQueue } from '#support/memory-jobs.ts'
import { openMemory } from '#support/stores.ts'

const OPENED = await openMemory({})
const NONE = new MemoryJobs(new MemoryQueue(), new TestClock(), 3)

/** A set of features that write into `said` what becomes of them; each is switched on by its own name. */
function set(features: Readonly<Record<string, Feature>>, on: readonly string[], said: string[], jobs: Jobs = NONE) {
  const { store, ledger, clock } = OPENED
  return new FeatureSet(
    (once) => {
      const table = Object.entries(features).map(([name, feature]) => {
        const make = once(() => {
          said.push(`make ${name}`)
          const begin = async () => void said.push(`begin ${name}`)
          return { offers: name, begin, close: () => void said.push(`close ${name}`), ...feature }
        })
        return [name, { [name]: make }] as const
      })
      return Object.fromEntries(table)
    },
    Object.fromEntries(on.map((name) => [name, true])),
    { store, ledger, clock, jobs: () => jobs, isShared: true },
  )
}

t.test('features begin in their order, and close the other way round', async (t) => {
  const said: string[] = []
  const lives = set({ one: {}, two: {}, three: {} }, ['three', 'one'], said)
  t.strictSame(said, [], 'nothing is made before it is asked for')
  await lives.begin()
  t.strictSame(said.splice(0), ['make one', 'make three', 'begin one', 'begin three'])
  t.match(lives.offers, { two: 'two' })
  t.match(lives.offers, { two: 'two' })
  t.strictSame(said.splice(0), ['make two'], 'what is off is made for who asks for it, once')
  await lives.close()
  t.strictSame(said.splice(0), ['close two', 'close three', 'close one'])
  await lives.close()
  t.strictSame(said, [], 'once')
})

t.test('one that can not close keeps no other from it', async (t) => {
  const said: string[] = []
  const broken: Feature = {
    close: () => {
      throw new Error('I stay.')
    },
  }
  const late: Feature = { close: () => Promise.reject(new Error('Me too.')) }
  const lives = set({ one: {}, broken, two: {}, late }, ['one', 'broken', 'two', 'late'], said)
  lives.on()
  await t.rejects(lives.close(), { message: 'Me too.' }, 'the first of the failures is thrown')
  t.strictSame(said.slice(-2), ['close two', 'close one'])
})

t.test('the jobs of all that is on are done, and end before anything is closed', async (t) => {
  const said: string[] = []
  const jobs = new MemoryJobs(new MemoryQueue(), new TestClock(), 3)
  let begun = () => {}
  const working = new Promise<void>((resolve) => {
    begun = resolve
  })
  let finish = () => {}
  const workers = (name: string): Workers => ({
    [name]: {
      gaveUp: () => void t.fail(),
      work: async () => {
        begun()
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        said.push(`did ${name}`)
      },
    },
  })
  const lives = set({ mail: { jobs: workers('mail') }, hooks: { jobs: workers('hooks') } }, ['mail', 'hooks'], said, jobs)
  await jobs.add({ name: 'hooks', data: 1 })
  await lives.begin()
  await working
  const closed = lives.close()
  finish()
  await closed
  t.strictSame(said.slice(-3), ['did hooks', 'close hooks', 'close mail'])
})

t.test('two features can not have jobs of one name: those of one would never be done', async (t) => {
  const jobs: Workers = { mail: { gaveUp: () => void t.fail(), work: async () => void t.fail() } }
  await t.rejects(set({ one: { jobs }, two: { jobs } }, ['one', 'two'], []).begin(), { message: /jobs named "mail"/ })
  const lives = set({ one: { jobs }, two: { jobs } }, ['one'], [], new MemoryJobs(new MemoryQueue(), new TestClock(), 3))
  await lives.begin()
  await lives.close()
})

t.test('what is on follows the changes of the store, until it is closed, and goes on where it was', async (t) => {
  const said: string[] = []
  let tell = () => {}
  const next = () => new Promise<void>((resolve) => (tell = resolve))
  const following: Feature = {
    follow: async ({ action, key }) => {
      said.push(`${action} ${key.id}`)
      tell()
    },
  }
  const write = (id: string) =>
    OPENED.store.write([{ key: keyOf('posts', id), put: { set: { title: id } } }], { name: 'Ada', email: 'ada@example.org' })
  const stay = setInterval(() => {}, 1000)
  const first = set({ hooks: following, off: following }, ['hooks'], [])
  await first.begin()
  const told = next()
  await write('a')
  await told
  await first.close()
  await write('b')
  const second = set({ hooks: following }, ['hooks'], [])
  const later = next()
  await second.begin()
  await later
  await second.close()
  clearInterval(stay)
  t.strictSame(said, ['created a', 'created b'])
})

t.test('each switch turns something on, or is refused by the configuration', async (t) => {
  const opened = await openMemory({})
  const routesOf = async (features: Readonly<Record<string, boolean>>) => {
    const app = new TestApp(opened, { config: { features } })
    await app.app.ready()
    t.teardown(() => app.close())
    return app.app.printRoutes()
  }
  const none = await routesOf({ docs: false })
  // Modules bring what a site has of them: nothing, where it has none.
  const others: readonly string[] = ['analytics', 'modules']
  const names = Object.keys(switches.properties).filter((name) => !others.includes(name))
  t.ok(names.length >= 8)
  // What these have is part of the API, and not there without it; nobody gets into a panel, or a team, or is billed, without sign-in;
  // webhooks send events.
  const apis = ['revisions', 'search', 'taxonomy', 'media', 'menus', 'settings']
  const api = await routesOf({ docs: false, api: true })
  const auth = await routesOf({ docs: false, auth: true })
  const events = await routesOf({ docs: false, events: true })
  const both = await routesOf({ docs: false, api: true, auth: true })
  for (const name of names) {
    const [on, off] = apis.includes(name)
      ? [{ docs: false, api: true, [name]: true }, api]
      : name === 'admin'
        ? [{ docs: false, auth: true, admin: true }, auth]
        : name === 'teams' || name === 'billing'
          ? [{ docs: false, api: true, auth: true, [name]: true }, both]
          : name === 'webhooks'
            ? [{ docs: false, events: true, webhooks: true }, events]
            : [{ docs: false, [name]: true }, none]
    t.not(await routesOf(on), off, name)
  }
})

t.test('an address that a feature answers is no record’s', async (t) => {
  const opened = await openMemory({})
  const features = Object.fromEntries(Object.keys(switches.properties).map((name) => [name, true]))
  const app = new TestApp(opened, { config: { features } })
  t.teardown(() => app.close())
  await app.app.ready()
  const routes = app.app.printRoutes({ commonPrefix: false })
  const first = [...routes.matchAll(/^[├└]── (\/\S*)/gm)].map(([, path = '']) => path.replaceAll(/:\w+\([^)]*\)/g, '1'))
  t.ok(first.length >= 5)
  const pages = opened.types.get('pages')
  if (!pages) throw new Error('There are no pages.')
  for (const permalink of first)
    t.match(permalinkOf(pages, { key: keyOf('pages', 'x'), fields: { permalink } }).fault, /belongs to Quire itself/, permalink)
})
