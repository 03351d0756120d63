import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { SmtpTransport } from '#mail/smtp.ts'
import { type RenderedMessage, Undelivered } from '#mail/transport.ts'
import { mailServer } from '#support/mail.ts'
import { smtpTo } from './posting.ts'

const MESSAGE: RenderedMessage = {
  id: 'one@example.org',
  date: new Date(0),
  from: { address: 'quire@example.org' },
  to: { address: 'ada@example.org' },
  subject: 'Hello',
  text: 'Hello.\n',
  html: '<p>Hello.</p>',
}
/** This machine by an address that is not one of loopback. */
const ELSEWHERE = '0.0.0.0'

const never = () => new AbortController().signal

async function failure(work: Promise<unknown>): Promise<Undelivered> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error instanceof Undelivered) return error
  throw new Error(`It was delivered, or failed otherwise: ${error}`)
}

/** A server that does what it is told with each connection. */
async function rudeServer(t: Test, rude: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    rude(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** As much of a mail server as has an answer to each line; what it answers is up to `says`. */
function speak(socket: Socket, says: (line: string) => string | undefined): void {
  socket.write('220 rude\r\n')
  socket.on('data', (bytes) => {
    for (const line of String(bytes).split('\r\n').filter(Boolean)) {
      const answer = says(line)
      if (answer !== undefined) socket.write(`${answer}\r\n`)
    }
  })
}

t.test('a server that hangs is not waited for', async (t) => {
  const patience = { connection: 60, silence: 60, whole: 400 }
  const silent = await rudeServer(t, () => undefined)
  const mute = await rudeServer(t, (socket) => speak(socket, (line) => (line.startsWith('EHLO') ? '250 rude' : undefined)))
  const drip = await rudeServer(t, (socket) => {
    const timer = setInterval(() => socket.write('220-wait\r\n'), 10)
    socket.on('close', () => clearInterval(timer))
  })
  const endless = await rudeServer(t, (socket) => {
    let timer: NodeJS.Timeout | undefined
    speak(socket, (line) => {
      if (line.startsWith('EHLO')) return '250 rude'
      timer ??= setInterval(() => socket.write('250-\r\n'), 10)
      return undefined
    })
    socket.on('close', () => clearInterval(timer))
  })
  for (const port of [silent, mute, drip, endless]) {
    const transport = new SmtpTransport({ host: '127.0.0.1', port, secure: false }, 'example.org', patience)
    const from = performance.now()
    const error = await failure(transport.deliver(MESSAGE, never()))
    t.ok(performance.now() - from < 5000, 'however much it says meanwhile')
    t.notOk(error.isFinal)
    t.match(error.message, /took no message/)
  }
  const transport = new SmtpTransport({ host: '127.0.0.1', port: silent, secure: false }, 'example.org', patience)
  t.match(await transport.examine(), { state: 'todo', hint: /mail\.smtp/ })
})

t.test('a message on its way is let go when the server is to end', async (t) => {
  const asked = new AbortController()
  const port = await rudeServer(t, (socket) => speak(socket, () => void asked.abort()))
  t.notOk((await failure(smtpTo(port).deliver(MESSAGE, asked.signal))).isFinal)
})

t.test('nothing goes over a network that others could read, and to none but who has the name', async (t) => {
  const server = await mailServer(t, { onAuth: (auth, _, done) => done(null, { user: auth.username }) })
  const { port } = server
  const plain = await mailServer(t, {
    disabledCommands: ['STARTTLS'],
    onAuth: (auth, _, done) => done(null, { user: auth.username }),
  })
  const tls = await mailServer(t, { secure: true })
  const signIn = { user: 'quire', password: 'wonderful-secret' }

  t.match(await failure(smtpTo(port, { host: ELSEWHERE, ...signIn }).deliver(MESSAGE, never())), {
    message: /took no message \(.*certificate/,
    hint: /certificate/,
  })
  t.match(await failure(smtpTo(tls.port, { host: ELSEWHERE, secure: true }).deliver(MESSAGE, never())), {
    message: /certificate/,
  })
  const bare = await failure(smtpTo(plain.port, { host: ELSEWHERE, ...signIn }).deliver(MESSAGE, never()))
  t.notOk(bare.isFinal)
  t.match(bare.hint, /STARTTLS/)
  t.strictSame([...server.messages, ...plain.messages, ...tls.messages], [])
  t.strictSame([...server.recipients, ...plain.recipients], [], 'not even whom it is for is told')

  await smtpTo(port, signIn).deliver(MESSAGE, never())
  await smtpTo(plain.port, signIn).deliver(MESSAGE, never())
  await smtpTo(tls.port, { secure: true }).deliver(MESSAGE, never())
  t.match(server.messages, [{ isSecure: true, user: 'quire' }], 'on the machine itself any certificate will do')
  t.match(plain.messages, [{ isSecure: false, user: 'quire' }], 'or none')
  t.match(tls.messages, [{ isSecure: true, user: undefined }])
})

t.test('on port 587 of another machine there is TLS, or no message', async (t) => {
  for (const [host, port, user, needs] of [
    ['smtp.example.org', 587, undefined, true],
    ['smtp.example.org', 25, undefined, false],
    ['smtp.example.org', 25, 'quire', true],
    ['localhost', 587, 'quire', false],
    ['127.0.0.1.example.org', 587, undefined, true],
  ] as const) {
    const transport = new SmtpTransport({ host, port, secure: false, user }, 'example.org')
    t.equal(transport.needsTls, needs, `${host}:${port} ${user}`)
  }
})

t.test('an operator is told what is amiss, and never a password', async (t) => {
  const server = await mailServer(t, {
    authOptional: false,
    onAuth: ({ password }, _, done) =>
      password === 'right-password' ? done(null, { user: 'quire' }) : done(new Error('No: wrong-password')),
  })
  const { port } = server
  const place = `127.0.0.1:${port}`
  const right = smtpTo(port, { user: 'quire', password: 'right-password' })
  t.strictSame(await right.examine(), { name: 'mail', state: 'ok', says: `${place} answers, and knows quire.` })

  const wrong = smtpTo(port, { user: 'quire', password: 'wrong-password' })
  const finding = await wrong.examine()
  t.match(finding, { name: 'mail', state: 'todo', says: /535/, hint: /mail\.smtp\.password/ })
  const refused = await failure(wrong.deliver(MESSAGE, never()))
  t.notOk(refused.isFinal, 'that can be mended')
  const nobody = await failure(smtpTo(port).deliver(MESSAGE, never()))
  t.notOk(nobody.isFinal)
  t.match(nobody.hint, /mail\.smtp\.user/)
  for (const text of [JSON.stringify(finding), refused.message, refused.hint, nobody.message])
    t.notMatch(text, /password"|wrong-password|right-password/)
  t.strictSame(server.messages, [])

  await server.close()
  t.match(await right.examine(), { state: 'todo', says: /ECONNREFUSED/, hint: /host, port/ })
  const lost = new SmtpTransport({ host: 'mail.invalid', port: 25, secure: false }, 'example.org')
  t.match(await lost.examine(), { state: 'todo', says: /mail\.invalid:25/, hint: /host/ })
})

t.test('what the server says of a message decides whether it is tried again', async (t) => {
  const cases: [string, string, boolean][] = [
    ['MAIL FROM', '550 5.7.1 Not from you', true],
    ['RCPT TO', '552 5.2.2 ada@example.org is full', true],
    ['RCPT TO', '452 4.2.2 ada@example.org is full', false],
    ['DATA', '554 5.6.0 Not like this', true],
    ['DATA', '421 4.3.2 Going down', false],
    ['RCPT TO', '503 5.5.1 Out of order', false],
    ['MAIL FROM', '530 5.7.0 Who are you?', false],
  ]
  for (const [at, answer, isFinal] of cases) {
    const port = await rudeServer(t, (socket) =>
      speak(socket, (line) => (line.toUpperCase().startsWith(at) ? answer : '250 2.0.0 Yes')),
    )
    const error = await failure(smtpTo(port).deliver(MESSAGE, never()))
    t.equal(error.isFinal, isFinal, `${at}: ${answer}`)
    t.match(error.message, `(${answer.split(' ').slice(0, 2).join(' ')})`)
    t.notMatch(error.message, /ada/)
  }
  const closed = await rudeServer(t, (socket) => socket.end('554 5.3.2 Nobody is let in\r\n'))
  t.notOk((await failure(smtpTo(closed).deliver(MESSAGE, never()))).isFinal)
})
