import { randomBytes } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { PostgresStore } from '#stores/postgres/store.ts'
import { TestClock } from '#support/clock.ts'
import { ask } from '#support/postgres.ts'
import { sharedServer } from '#support/shared-server.ts'
import { plainTypes } from '#support/types.ts'

/** The address of a database by way of a pooler, which gives connections back without what they were to begin with. */
async function pooled(t: Test, url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const other = connect(Number(port), hostname)
    for (const one of [socket, other]) sockets.add(one.on('error', () => one.destroy()))
    socket.once('data', (startup) => {
      const from = startup.indexOf('-c search_path')
      startup.fill(' ', from, startup.indexOf(0, from))
      other.write(startup)
      socket.pipe(other)
    })
    other.pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return Object.assign(new URL(url), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href
}

t.test('a pooler that keeps back what a connection begins with is not worked with: sites would share their tables', async (t) => {
  const server = await sharedServer()
  const name = `pooled_${randomBytes(6).toString('hex')}`
  await ask(server, `create database ${name}`)
  t.teardown(() => ask(server, `drop database ${name} with (force)`))
  const direct = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const through = await pooled(t, direct)
  const open = async (url: string) => {
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
  await t.rejects(open(`${through}?schema=one`), { message: /options/ })
  await t.resolves(open(`${direct}?schema=one`))
})
