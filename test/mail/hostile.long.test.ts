import fc from 'fast-check'
import t from 'tap'
import { parseMailbox, plainAddress } from '#core/address.ts'
import { TestClock } from '#support/clock.ts'
import { mailServer } from '#support/mail.ts'
import { MemoryJobs, MemoryQueue } from '#support/memory-jobs.ts'
import { codeFor, posting, smtpTo } from './posting.ts'

const ADA = 'ada@example.org'
const EVE = 'eve@evil.example'

/** Pieces of which one recipient is made two, or another header, where somebody is not on guard. */
const piece = fc.constantFrom(
  ...[ADA, EVE, '\r\n', '\n', '\r', '\u0000', '\u2028', '\u0085', ',', ';', ':', '<', '>', '"', '\\', '(', ')', '[', ']', '@'],
  ...[
    'Bcc: ',
    'To: ',
    'RCPT TO:',
    '.',
    ' ',
    '\t',
    '=?utf-8?Q?=0D=0ABcc:_eve=40evil.example?=',
    '%0d%0aBcc:',
    'é',
    '\u202e',
    '！',
    '＠',
  ],
)
const hostile = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 4 }).map((pieces) => ADA + pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom('ada@example.orgé.é', 'ada@bücher.example'),
)

t.test('a plain address is what one address can be, however it is written', async (t) => {
  for (const [text, address] of [
    ['Ada@Example.ORG', ADA],
    ['a.b+c@sub.example.org', 'a.b+c@sub.example.org'],
    ['quire@localhost', 'quire@localhost'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['e\u0301@example.org', 'é@example.org'],
    ["o'neil@example.org", "o'neil@example.org"],
    [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`],
  ] as const)
    t.equal(plainAddress(text), address)
  for (const text of [
    ...['', '@', 'ada', 'ada@', '@example.org', 'a b@example.org', 'a@b@c.d', '.a@b.c', 'a.@b.c', 'a..b@b.c', 'a@b..c', 'a@b.c.'],
    ...[
      'a,b@c.d',
      'a;b@c.d',
      'a:b@c.d',
      '"a"@c.d',
      '<a@b.c>',
      'A <a@b.c>',
      'a@b.c (x)',
      'g:a@b.c;',
      'a@[127.0.0.1]',
      'a@127.0.0.1',
    ],
    ...['a@0x7f.1', 'a@%65vil.example', 'a\n@b.c', 'a\\@b.c', 'a@-b.c', 'a@b_c.d', `${'a'.repeat(65)}@b.c`],
    `a@${'b'.repeat(64)}.c`,
    `a@${'b.'.repeat(130)}c`,
  ])
    t.equal(plainAddress(text), undefined, JSON.stringify(text))
  fc.assert(
    fc.property(hostile, (text) => {
      const address = plainAddress(text)
      if (address === undefined) return true
      return (
        plainAddress(address) === address && /^[^\s\p{Cc},;:<>"()[\]\\@]+@[a-z0-9.-]+$/u.test(address) && address.length <= 254
      )
    }),
    { numRuns: 3000 },
  )
})

t.test('who messages are from is one mailbox', async (t) => {
  for (const [text, mailbox] of [
    ['quire@localhost', { address: 'quire@localhost' }],
    ['Quire <quire@localhost>', { name: 'Quire', address: 'quire@localhost' }],
    ['"Quire, Vienna" <quire@localhost>', { name: 'Quire, Vienna', address: 'quire@localhost' }],
    ['<quire@localhost>', { address: 'quire@localhost' }],
    ['Quire', undefined],
    ['Quire, Vienna <quire@localhost>', undefined],
    ['a@b.c, d@e.f', undefined],
    ['Q\r\nBcc: d@e.f <a@b.c>', undefined],
    ['Quire <a@b.c> <d@e.f>', undefined],
  ] as const)
    t.strictSame(parseMailbox(text), mailbox)
})

t.test('of whatever address and name, the server sees one recipient, the right one, and no header more', async (t) => {
  const server = await mailServer(t, { hideSTARTTLS: true })
  const clock = new TestClock()
  const names = new Map<string, string>()
  const compose = async ({ to }: { to: string }) => ({
    name: names.get(to) ?? '',
    values: { code: '123456', minutes: 10 },
    shown: '',
  })
  const jobs = new MemoryJobs(new MemoryQueue(), clock, 3)
  const site = { name: 'My\r\nBcc: eve@evil.example\r\n \u202esite', url: 'https://example.org' }
  const { outbox } = posting(t, jobs, clock, { transport: smtpTo(server.port), site }, compose)
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (to, name) => {
      const address = plainAddress(to) ?? ADA
      names.set(address, name)
      const [asked, came] = [server.recipients.length, server.messages.length]
      const sent = await outbox.deliver(codeFor(plainAddress(to) === undefined ? ADA : to))
      const message = server.messages[came]
      if (!sent || !message || server.messages.length !== came + 1) throw new Error('It did not come, or more than one did.')
      if (server.recipients.length !== asked + 1) throw new Error(`${server.recipients.slice(asked)} were asked for.`)
      t.strictSame([server.recipients.at(-1), message.to], [address, [address]])
      t.strictSame([...message.headers.keys()].sort(), HEADERS)
      for (const values of message.headers.values()) t.equal(values.length, 1)
      const [header = ''] = message.headers.get('to') ?? []
      t.ok(header === address || header.endsWith(` <${address}>`) || header.endsWith(`<${address}>`))
      t.strictSame(message.headers.get('subject'), ['Your code for My Bcc: eve@evil.example site'])
    }),
    { numRuns: 60, examples: [['éada@example.org', ADA]] },
  )
})

const HEADERS = ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to']
