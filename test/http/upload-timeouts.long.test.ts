import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Feature } from '#features/feature.ts'
import { TooLarge } from '#lib/errors.ts'
import { TestApp } from '#support/app.ts'
import { openMemory } from '#support/stores.ts'

const TIMEOUTS = { headers: 200, request: 300, check: 20, upload: 500, idle: 60_000, keepAlive: 60_000 }
const answer = { hide: true, response: { 200: { type: 'string' } } } as const

/** Routes that take bodies as they come: one that lets them take long, one that does not, one that refuses them unread. */
const uploads: Feature = {
  routes: (app, { api }) => {
    app.addContentTypeParser('text/plain', (_request, _payload, done) => done(null))
    app.post('/long', { schema: answer }, async (request, reply) => {
      api.uploading.timeouts.begin(request, reply)
      return `${(await text(request.raw)).length}`
    })
    app.post('/short', { schema: answer }, async (request) => `${(await text(request.raw)).length}`)
    app.post('/refused', { schema: answer }, async (request, reply) => {
      api.uploading.timeouts.begin(request, reply)
      throw new TooLarge('The file is too large.')
    })
  },
}

async function begun(t: Test): Promise<(path: string, length: number) => Promise<Client>> {
  const opened = await openMemory({})
  const app = new TestApp(opened, { deps: { timeouts: TIMEOUTS, features: [uploads] } })
  t.teardown(() => app.close())
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.app.server.address() as { port: number }
  return async (path, length) => {
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n`)
    return new Client(socket)
  }
}

/** A client that sends byte by byte. */
class Client {
  heard = ''
  isOver = false
  readonly #socket: Socket
  readonly over: Promise<unknown>

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (data) => {
      this.heard += data
    })
    socket.on('error', () => undefined)
    this.over = once(socket, 'close').then(() => {
      this.isOver = true
    })
  }

  /** Sends `count` bytes, one each 50 ms, until it is answered. */
  async send(count: number): Promise<void> {
    for (let n = 0; n < count && this.heard === '' && !this.isOver; n++) {
      this.#socket.write('x')
      await pause(50)
    }
  }

  async answered(): Promise<string> {
    while (this.heard === '' && !this.isOver) await pause(10)
    return this.heard
  }

  /** Sends another request on the same connection. */
  again(path: string, body: string): void {
    this.heard = ''
    this.#socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n${body}`)
  }
}

t.test('a body that may take long is read as long as bytes come', async (t) => {
  const ask = await begun(t)
  const client = await ask('/long', 20)
  await client.send(20)
  t.match(await client.answered(), /^HTTP\/1\.1 200.*\r\n20$/s, 'three times as long as others may')
  client.again('/long', 'xx')
  t.match(await client.answered(), /^HTTP\/1\.1 200.*\r\n2$/s, 'the connection goes on')
  client.again('/short', 'x')
  t.match(await client.answered(), /^HTTP\/1\.1 408/, 'and what comes next on it may take as long as ever')
  await client.over
})

t.test('it ends when none has come for a while', async (t) => {
  const ask = await begun(t)
  const client = await ask('/long', 20)
  await client.send(3)
  const from = performance.now()
  t.match(await client.answered(), /^HTTP\/1\.1 408 .*"Request timeout"/s)
  t.ok(performance.now() - from < 5000)
  await client.over
})

t.test('all others end after the same while as ever, however slowly they come', async (t) => {
  const ask = await begun(t)
  for (const path of ['/short', '/nowhere']) {
    const client = await ask(path, 1000)
    const from = performance.now()
    await client.send(1000)
    t.match(await client.answered(), path === '/short' ? /^HTTP\/1\.1 408/ : /^HTTP\/1\.1 404/)
    await client.over
    t.ok(performance.now() - from < 5000)
  }
})

t.test('who is answered before the end of a body may go on for a while, to come to read that', async (t) => {
  const ask = await begun(t)
  const client = await ask('/refused', 1000)
  t.match(await client.answered(), /^HTTP\/1\.1 413/)
  const from = performance.now()
  await client.over
  t.ok(performance.now() - from < 5000, 'the connection ends, though bytes were to come')
})
