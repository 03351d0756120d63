import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import type { Store } from '#core/store.ts'
import type { SiteEvent } from '#features/events/event.ts'
import { program } from '#support/program.ts'
import { Receiver as Hook } from '#support/receiver.ts'
import { openFiles, openPostgres } from '#support/stores.ts'
import { keysOf, LAST, openTeller, type Place, type TellerArgument } from './fixtures/telling.ts'

/** Number of writes on each store, and of kills: `npm run test:events` has 500 and 30, `npm run test:events -- 2000 100` more. */
const WRITES = Number(process.argv[2] ?? 100)
const KILLS = Number(process.argv[3] ?? 6)
/** Number of writes to a record: every other one has one more. */
const STEPS = 9.5
/** Writes that are under way where a server is killed by the number of those that are done. */
const IN_FLIGHT = 3
const RECORDS = Math.ceil(WRITES / STEPS)

/** One of so many messages to the webhook is refused, and sent again. */
const REFUSED = 5
/** Lives after which all that was refused is due again, and times that this is waited for. */
const LATER_LIVES = 200
const MOST_LATER = 16

/** A client that keeps all it was told, and comes back with the id of the last event. */
class Receiver {
  readonly events: SiteEvent[] = []
  resets = 0
  look = () => {}

  /** `begun` is called once the server sends what comes from then on. */
  listen(port: number, token: string, begun: () => void): void {
    const last = this.events.at(-1)?.id
    const headers = { authorization: `Bearer ${token}`, ...(last !== undefined && { 'last-event-id': last }) }
    let rest = ''
    let hasBegun = false
    const asked = get({ port, host: '127.0.0.1', path: '/api/events', headers, agent: false }, (answer) => {
      answer.setEncoding('utf8').on('error', () => undefined)
      answer.on('data', (text: string) => {
        if (!hasBegun) begun()
        hasBegun = true
        const parts = (rest + text).split('\n\n')
        rest = parts.pop() ?? ''
        for (const part of parts) this.#take(part)
        this.look()
      })
    })
    asked.on('error', () => undefined)
  }

  #take(part: string): void {
    if (part.startsWith('event: reset')) this.resets++
    const [, data] = /^data: (.+)$/m.exec(part) ?? []
    if (data !== undefined && part.includes('\nid: ')) this.events.push(JSON.parse(data))
  }
}

/** Runs one life of the server: until so many writes, or all; resolves with true once all are done, and told. */
async function live(argument: Omit<TellerArgument, 'writes'>, receiver: Receiver, writes: number): Promise<boolean> {
  const [command = '', ...words] = program(new URL('fixtures/teller', import.meta.url))
  const child = spawn(
    'env',
    ['-u', 'NODE_OPTIONS', command, ...words, JSON.stringify({ ...argument, writes: writes + IN_FLIGHT })],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'exit')
  child.stdin.on('error', () => undefined)
  const told = receiver.events.length
  let steps = 0
  const isOver = () => receiver.events.some(({ data }) => data.id === LAST)
  const kill = () => child.kill('SIGKILL')
  // Who was told nothing yet has no id to come back with.
  const isDue = () => argument.life % 2 === 0 && steps >= writes && receiver.events.length > 0
  receiver.look = () => {
    if (isOver() || isDue()) kill()
    // Every other one dies while it tells, not while it writes.
    if (argument.life % 2 === 1 && receiver.events.length - told >= writes) kill()
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [word, first = '', second = ''] = line.split(' ')
    if (word === 'serves') receiver.listen(Number(first), second, () => child.stdin.write('go\n'))
    if (word === 'step' && ++steps >= writes && isDue()) kill()
  })
  const [code, signal] = await ended
  if (signal !== 'SIGKILL') throw new Error(`The server ended with ${code}.`)
  return isOver()
}

/** The versions of a record in their order, without those that follow the same; `gone` for its removal. */
async function historyOf(store: Store, nth: number): Promise<string[]> {
  const [, moved] = keysOf(nth)
  const { items } = (await store.history(moved, {})) ?? { items: [] }
  return followed(items.toReversed().map(({ version }) => version ?? 'gone'))
}

function followed(versions: readonly string[]): string[] {
  return versions.filter((version, nth) => version !== versions[nth - 1])
}

function toldOf(events: readonly SiteEvent[], nth: number): string[] {
  const ids: readonly string[] = keysOf(nth).map(({ id }) => id)
  const own = events.filter(({ data }) => data.type === 'posts' && ids.includes(data.id))
  return followed(own.map(({ type, data }) => (type === 'record.deleted' ? 'gone' : (data.version ?? 'none'))))
}

async function killed(t: Test, stored: Place): Promise<void> {
  const receiver = new Receiver()
  const hook = await Hook.listen(t)
  const taken = new Set<string>()
  hook.answer = (response, { event }) => {
    const isRefused = hook.got.length % REFUSED === 0
    if (!isRefused) taken.add(event.id)
    response.writeHead(isRefused ? 500 : 204).end()
  }
  const place = { ...stored, hook: hook.url }
  const most = Math.max(1, 2 * (Math.floor(WRITES / (KILLS + 1)) - IN_FLIGHT))
  let life = 0
  for (let isDone = false; !isDone; life++) {
    const writes = life < KILLS ? 1 + ((life * 7) % most) : Number.MAX_SAFE_INTEGER
    isDone = await live({ ...place, life, records: RECORDS }, receiver, writes)
  }
  t.ok(life > KILLS, `${life - 1} were killed at work`)
  t.equal(receiver.resets, 0)
  const unique = [...new Map(receiver.events.map((event) => [event.id, event])).values()]
  t.comment(`${receiver.events.length} events, ${receiver.events.length - unique.length} of them again`)
  for (let later = 1; later <= MOST_LATER && unique.some(({ id }) => !taken.has(id)); later++) {
    const { app, close } = await openTeller(place, life + later * LATER_LIVES)
    await app.features.events.due()
    await app.features.webhooks.drains.run()
    await close()
  }
  t.comment(`${hook.got.length} messages`)
  const sent = [...new Map(hook.got.map(({ event }) => [event.id, event])).values()]
  t.strictSame([...taken].sort(), unique.map(({ id }) => id).sort(), 'the webhook took each of these events')
  const { store, app, close } = await openTeller(place, life + LATER_LIVES * MOST_LATER)
  t.teardown(close)
  const records = Array.from({ length: RECORDS }, (_, nth) => nth)
  const [wanted, found] = [
    await Promise.all(records.map((nth) => historyOf(store, nth))),
    records.map((nth) => toldOf(unique, nth)),
  ]
  t.strictSame(found, wanted, 'of each record its versions, in their order, none missing')
  t.strictSame(
    records.map((nth) => toldOf(sent, nth)),
    wanted,
    'and was first sent those of each record in their order',
  )
  t.equal(unique.filter(({ type }) => type === 'record.created').length, RECORDS + 1, 'each was made once')
  const users = (await app.features.users.list()).map(({ id }) => id)
  const made = unique.filter(({ type }) => type === 'user.created').map(({ data }) => data.id)
  t.equal(users.length, RECORDS)
  t.strictSame(made.sort(), users.sort(), 'and each user')
}

for (const open of [openFiles, openPostgres])
  t.test(`events of a server that is killed: ${open.name}`, async (t) => {
    const opened = await open({ history: true })
    t.teardown(opened.close)
    await killed(t, 'url' in opened ? { url: opened.url } : { root: opened.site.root })
  })
