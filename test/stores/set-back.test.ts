import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { FeedFollower } from '#core/feed/feed-follower.ts'
import { type Key, keyOf, keyText } from '#core/key.ts'
import { PostgresStore } from '#stores/postgres/store.ts'
import { TestClock } from '#support/clock.ts'
import { ask } from '#support/postgres.ts'
import { sharedServer } from '#support/shared-server.ts'
import { plainTypes } from '#support/types.ts'

const ADA = { name: 'Ada', email: 'ada@example.org' }
const key = (id: string) => keyOf('posts', id)

/**
 * A database of its own, which can be set back to what it was: as by a standby that takes over without the last transactions, or
 * by a backup that is restored under running servers.
 */
class Returning {
  readonly url: string
  readonly #server: string
  readonly #name = `back_${randomBytes(6).toString('hex')}`

  private constructor(server: string) {
    this.#server = server
    this.url = Object.assign(new URL(server), { pathname: `/${this.#name}` }).href
  }

  static async make(t: Test): Promise<Returning> {
    const made = new Returning(await sharedServer())
    await ask(made.#server, `create database ${made.#name}`)
    t.teardown(() => made.#drop())
    return made
  }

  async keep(): Promise<void> {
    await this.#cut()
    await ask(this.#server, `create database ${this.#name}_kept template ${this.#name}`)
  }

  async goBack(): Promise<void> {
    await ask(this.#server, `drop database ${this.#name} with (force)`)
    await ask(this.#server, `alter database ${this.#name}_kept rename to ${this.#name}`)
  }

  async #cut(): Promise<void> {
    await ask(this.#server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${this.#name}'`)
  }

  async #drop(): Promise<void> {
    for (const name of [this.#name, `${this.#name}_kept`]) await ask(this.#server, `drop database if exists ${name} with (force)`)
  }
}

async function openStore(t: Test, { url }: Returning): Promise<PostgresStore> {
  const store = await PostgresStore.open({
    url,
    types: plainTypes(),
    clock: new TestClock(),
    watch: false,
    secret: 'x'.repeat(32),
  })
  t.teardown(() => store.close())
  return store
}

const put = (store: PostgresStore, id: string, title: string) => store.write([{ key: key(id), put: { set: { title } } }], ADA)
const title = async (store: PostgresStore, id: string) => (await store.get(key(id)))?.fields.title
const titles = async (store: PostgresStore) => (await store.heads('posts', {})).items.map(({ fields }) => fields.title).sort()
const past = async (store: PostgresStore) =>
  (await store.past('posts', { at: { instant: Date.parse('2100-01-01') } }))?.heads.map(({ head }) => head.fields.title).sort()

for (const more of [0, 1, 2]) {
  t.test(`a node that did not see the database go back sees what was written since, ${more} more than was lost`, async (t) => {
    const database = await Returning.make(t)
    const [one, other] = [await openStore(t, database), await openStore(t, database)]
    await put(one, 'a', 'A')
    await put(one, 'b', 'B')
    await database.keep()
    await put(other, 'a', 'lost')
    await put(other, 'c', 'lost')
    const taken: Key[] = []
    let readings = 0
    const follower = new FeedFollower(
      one,
      { readAll: async () => void readings++, take: async (keys) => void taken.push(...keys) },
      { part: 100 },
    )
    t.teardown(() => follower.close())
    await follower.runs.run()
    t.strictSame(await titles(one), ['B', 'lost', 'lost'])
    for (const id of ['a', 'b', 'c']) await title(one, id)
    await past(one)

    await database.goBack()
    await put(other, 'b', 'withdrawn')
    await put(other, 'd', 'D')
    for (let nth = 0; nth < more; nth++) await put(other, 'd', `D ${nth}`)

    t.equal(await title(one, 'b'), 'withdrawn')
    t.equal(await title(one, 'a'), 'A')
    t.equal(await title(one, 'c'), undefined)
    t.strictSame(await titles(one), await titles(other))
    t.strictSame(await past(one), await titles(other))
    await follower.runs.run()
    t.equal(readings, 2, 'what follows the feed reads everything anew')
    t.strictSame(taken.map(keyText), [])
  })
}

t.test('what was read as the database went back is in no answer once something else was written', async (t) => {
  const database = await Returning.make(t)
  const [one, other] = [await openStore(t, database), await openStore(t, database)]
  await put(other, 'a', 'A')
  await database.keep()
  for (const lost of ['1', '2', '3', '4']) await put(other, 'b', lost)
  await title(one, 'b')
  const held = holdReads(one)
  const slow = [title(one, 'a'), titles(one), titlesOf(one, 'a')]
  await held.until(3)

  await database.goBack()
  await put(other, 'a', 'withdrawn')
  t.equal(await title(one, 'c'), undefined)
  held.go()
  await Promise.all(slow)
  t.equal(await title(one, 'a'), 'withdrawn')
  t.strictSame(await titles(one), ['withdrawn'])
  t.strictSame(await titlesOf(one, 'a'), await titlesOf(other, 'a'))
})

const titlesOf = async (store: PostgresStore, id: string) => (await store.history(key(id), {}))?.items.map(({ at }) => at)

/** The reads after one that looks at the feed. */
const HELD = [1, 2, 3]

/** Has what is read after the next look at the feed wait on its way back, as by a slow network; not what is asked for later. */
function holdReads({ database }: PostgresStore) {
  const read = database.read.bind(database)
  let waiting = 0
  let go: () => void = () => undefined
  const gone = new Promise<void>((resolve) => {
    go = resolve
  })
  let looks = 0
  database.read = async (work) => {
    const nth = looks++
    const found = await read(work)
    if (HELD.includes(nth)) {
      waiting++
      await gone
    }
    return found
  }
  return {
    go,
    until: async (most: number) => {
      while (waiting < most) await new Promise((resolve) => setTimeout(resolve, 5))
    },
  }
}
