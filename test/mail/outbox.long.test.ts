import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { LEASE, restAfter } from '#core/jobs/jobs.ts'
import { Unavailable } from '#lib/errors.ts'
import { until } from '#support/cli.ts'
import { TestClock } from '#support/clock.ts'
import { MailServer, mailServer } from '#support/mail.ts'
import { MemoryJobs, MemoryQueue } from '#support/memory-jobs.ts'
import { program } from '#support/program.ts'
import { codeFor, type Kept, posting, smtpTo, wherever } from './posting.ts'

const NOT_AN_ADDRESS = { message: /one plain address/ }

const inMemory = (clock: TestClock) => new MemoryJobs(new MemoryQueue(), clock, 3)

wherever('a message that is sent goes out, to one reader, as text and as HTML', async (t, kept, clock) => {
  const server = await mailServer(t)
  const { outbox, composed, run } = posting(t, await kept.open(clock), clock, { transport: smtpTo(server.port) })
  await outbox.send({ template: 'code', to: 'Ada@Example.org', data: { n: 1 } })
  t.equal(composed.length, 0, 'it is written when its turn comes')
  run()
  const message = await server.message()
  t.strictSame(composed, [{ template: 'code', to: 'ada@example.org', data: { n: 1 } }])
  t.equal(message.from, 'quire@example.org')
  t.strictSame(message.to, ['ada@example.org'])
  t.strictSame(Object.fromEntries([...message.headers].filter(([name]) => !['message-id', 'content-type'].includes(name))), {
    from: ['Quire <quire@example.org>'],
    to: ['Ada <ada@example.org>'],
    subject: ['Your code for My site'],
    date: ['Thu, 15 Jan 2026 12:00:00 +0000'],
    'auto-submitted': ['auto-generated'],
    'mime-version': ['1.0'],
  })
  t.match(message.headers.get('message-id'), [/^<[0-9a-f-]{36}@example\.org>$/])
  t.match(message.headers.get('content-type'), [/^multipart\/alternative;/])
  t.match(message.text, /^Hello Ada,\r?\n[\s\S]*\n {4}123456\r?\n/)
  t.match(message.html, /<p class="code"[^>]*>123456<\/p>/)
})

t.test('who asks for a message goes on before it is written', async (t) => {
  const clock = new TestClock()
  const server = await mailServer(t)
  const { outbox, composed, run } = posting(t, inMemory(clock), clock, { transport: smtpTo(server.port) })
  run()
  await outbox.send(codeFor('ada@example.org'))
  for (let turns = 0; turns < 100; turns++) await undefined
  t.equal(composed.length, 0)
  await server.message()
})

t.test('an address that is not one plain address is not taken', async (t) => {
  const clock = new TestClock()
  const { outbox } = posting(t, inMemory(clock), clock, { transport: smtpTo(1) })
  for (const to of ['', 'ada', 'a@b.c, d@e.f', 'a@b.c\r\nBcc: d@e.f', 'A <a@b.c>']) {
    await t.rejects(outbox.send(codeFor(to)), NOT_AN_ADDRESS)
    await t.rejects(outbox.deliver(codeFor(to)), NOT_AN_ADDRESS)
  }
})

wherever('what is refused for now is written anew and sent again later', async (t, kept, clock) => {
  const server = await mailServer(t)
  const { port } = server
  server.refusals.push([451, '4.7.1 Greylisted, ada@example.org'], [450, '4.2.0 Greylisted still'])
  let made = 0
  const compose = async () => ({ values: { code: `00000${++made}`, minutes: 10 }, shown: '' })
  const jobs = await kept.open(clock)
  const { outbox, said, run } = posting(t, jobs, clock, { transport: smtpTo(port) }, compose)
  await outbox.send(codeFor('ada@example.org'))
  run()
  for (const n of [1, 2]) {
    await until(
      async () => said.length,
      (lines) => lines === n,
    )
    // It comes to rest a moment after that was said. Slowly, or the lease of who takes it next would end.
    await until(
      async () => {
        clock.advance(100)
        return made
      },
      (times) => times > n,
    )
  }
  t.match((await server.message()).text, /000003/)
  t.strictSame(server.recipients, ['ada@example.org', 'ada@example.org', 'ada@example.org'])
  t.strictSame(said, [
    `The mail server 127.0.0.1:${port} took no message (451 4.7.1). Messages are kept, and tried again.`,
    `The mail server 127.0.0.1:${port} took no message (450 4.2.0). Messages are kept, and tried again.`,
  ])
})

t.test('the same trouble with many messages is told once, and once more when it comes back', async (t) => {
  const clock = new TestClock()
  const server = await mailServer(t)
  let isAway = true
  const compose = async () => {
    if (isAway) throw new Unavailable('The database is away.')
    return { values: { code: '123456', minutes: 10 }, shown: '' }
  }
  const { outbox, said, composed, run } = posting(t, inMemory(clock), clock, { transport: smtpTo(server.port) }, compose)
  run()
  for (const to of ['a@example.org', 'b@example.org', 'c@example.org']) await outbox.send(codeFor(to))
  await until(
    async () => composed.length,
    (tries) => tries === 3,
  )
  t.strictSame(said, ['The database is away. Messages are kept, and tried again.'])
  isAway = false
  await outbox.send(codeFor('d@example.org'))
  await server.message()
  isAway = true
  await until(
    async () => {
      await outbox.send(codeFor('e@example.org'))
      return said.length
    },
    (lines) => lines === 2,
  )
})

wherever('what is refused for good is given up', async (t, kept, clock) => {
  const server = await mailServer(t)
  server.refusals.push([550, '5.1.1 No such user ada.lovelace@example.org'])
  const { outbox, said, composed, run } = posting(t, await kept.open(clock), clock, { transport: smtpTo(server.port) })
  await outbox.send(codeFor('ada.lovelace@example.org'))
  run()
  await until(
    async () => said.length,
    (lines) => lines > 0,
  )
  // Past when it would be tried again, and slowly, or the lease of the message would end.
  const end = clock.now() + 2 * restAfter(1)
  await until(
    async () => {
      clock.advance(100)
      return clock.now()
    },
    (now) => now >= end,
  )
  await outbox.send(codeFor('bob@example.org'))
  t.strictSame((await server.message()).to, ['bob@example.org'])
  t.equal(composed.length, 2, 'it was tried once')
  t.strictSame(said, [
    `The message to a…@example.org is given up: The mail server 127.0.0.1:${server.port} refused a message (550 5.1.1).`,
  ])
})

wherever('a message waits for a mail server that is away, also while nobody runs', async (t, kept, clock) => {
  const gone = await mailServer(t)
  const { port } = gone
  await gone.close()
  const before = posting(t, await kept.open(clock), clock, { transport: smtpTo(port) })
  before.run()
  await before.outbox.send(codeFor('ada@example.org'))
  await until(
    async () => before.said,
    (said) => said.length > 0,
  )
  t.match(before.said, [/^The mail server 127\.0\.0\.1:\d+ took no message \(.*ECONNREFUSED.*Messages are kept/])
  await before.end()

  clock.advance(restAfter(1))
  const server = new MailServer({})
  await server.listen(port)
  t.teardown(() => server.close())
  const after = posting(t, await kept.open(clock), clock, { transport: smtpTo(port) })
  after.run()
  t.strictSame((await server.message()).to, ['ada@example.org'])
  t.strictSame(after.said, [])
})

wherever('no message is lost with a process that is killed', async (t, kept) => {
  if (!kept.at) return
  const server = await mailServer(t)
  const people = ['ada@example.org', 'bob@example.org', 'cyd@example.org']
  const sending = begin(kept.at, server.port, people, false)
  await once(sending, 'exit')
  t.equal(sending.signalCode, 'SIGKILL', 'killed when they were kept')

  // Both carriers are at work, and neither has handed its message over.
  let held = 0
  const slow = await mailServer(t, { onMailFrom: () => void held++ })
  const carrying = begin(kept.at, slow.port, [], true)
  await until(
    async () => held,
    (messages) => messages === 2,
  )
  carrying.kill('SIGKILL')
  await once(carrying, 'exit')

  const later = new TestClock(Date.now() + LEASE)
  const { run } = posting(t, await kept.open(later), later, { transport: smtpTo(server.port) })
  run()
  await server.message(people.length)
  t.strictSame(server.messages.flatMap(({ to }) => to).sort(), people)
})

/** Starts a process that sends messages; it is killed in the end. */
function begin(at: NonNullable<Kept['at']>, port: number, to: readonly string[], runs: boolean) {
  const argument = JSON.stringify({ ...at, port, to, runs })
  // Not from the runner's own node: `env` keeps it from putting its options back in.
  return spawn('env', ['-u', 'NODE_OPTIONS', ...program(new URL('fixtures/send', import.meta.url)), argument], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

t.test('what came too late, and what is about nobody, is not sent and not kept', async (t) => {
  const clock = new TestClock()
  const server = await mailServer(t)
  const compose = async ({ to }: { to: string }) =>
    to.startsWith('nobody') ? undefined : { values: { code: '123456', minutes: 10 }, shown: '' }
  const { outbox, composed, said, run } = posting(t, inMemory(clock), clock, { transport: smtpTo(server.port) }, compose)
  await outbox.send(codeFor('late@example.org', clock.now() + 600_000))
  await outbox.send(codeFor('nobody@example.org', clock.now() + 700_000))
  await outbox.send(codeFor('intime@example.org', clock.now() + 600_001))
  clock.advance(600_000)
  run()
  t.strictSame((await server.message()).to, ['intime@example.org'])
  t.strictSame(
    composed.map(({ to }) => to),
    ['nobody@example.org', 'intime@example.org'],
  )
  t.equal(await outbox.deliver(codeFor('nobody@example.org')), undefined)
  t.strictSame(said, [])
})

t.test('a message is delivered at once for who waits for it, who learns where it is, or why not', async (t) => {
  const clock = new TestClock()
  const server = await mailServer(t)
  const { port } = server
  const shown: string[] = []
  const parts = { transport: smtpTo(port), onShown: (_: unknown, secret: string) => shown.push(secret) }
  const { outbox, said } = posting(t, inMemory(clock), clock, parts)
  t.strictSame(await outbox.deliver(codeFor('ada@example.org')), { place: `127.0.0.1:${port}` })
  t.equal(server.messages.length, 1)
  server.refusals.push([550, 'No'], [451, 'Not now'])
  await t.rejects(outbox.deliver(codeFor('ada@example.org')), { exit: 7, isFinal: true, message: /refused a message \(550\)/ })
  await t.rejects(outbox.deliver(codeFor('ada@example.org')), { exit: 7, isFinal: false, message: /took no message \(451\)/ })
  t.strictSame(shown, [], 'where there is a mail server, nothing is shown')
  t.strictSame(said, [], 'who is told by an error is not told twice')
})
