import { readdirSync, readFileSync, statSync } from 'node:fs'
import t from 'tap'
import type { MessageName, MessageValues } from '#core/mail.ts'
import { FolderTransport } from '#mail/folder.ts'
import { MailTemplates } from '#mail/templates.ts'
import { TestClock } from '#support/clock.ts'
import { MemoryJobs, MemoryQueue } from '#support/memory-jobs.ts'
import { makeSite } from '#support/sites.ts'
import { codeFor, posting, TEMPLATES } from './posting.ts'

const SITE = { name: 'Tom & <Jerry>', url: 'https://example.org' }
const DUE = { number: '2026-00001', amount: '€10.71', due: '14 February 2026', link: 'https://example.org/admin?a&b=c' }
/** The values that each message of ours gets beside the site and a name. */
const VALUES = {
  code: { code: '123456', minutes: 10 },
  link: { link: 'https://example.org/api/auth/magic-link/verify?token=a&b=c', minutes: 10 },
  invitation: { link: 'https://example.org/api/auth/magic-link/verify?token=a&b=c', days: 7 },
  'password-changed': {},
  invoice: DUE,
  'past-due': { ...DUE, ends: '16 March 2026' },
  module: { subject: 'A message <1>', text: 'First line\n\nSecond & last' },
  'past-due-reminder': { ...DUE, ends: '16 March 2026' },
  'webhook-disabled': { host: 'hooks.example.org', link: 'https://example.org/admin/webhooks/wh_1/deliveries' },
} satisfies MessageValues

t.test('our messages say what they are given, escaped in HTML and as it is in text, and fetch nothing', async (t) => {
  const names = new Set(readdirSync(TEMPLATES).map((file) => file.split('.')[0] ?? ''))
  t.strictSame([...names].sort(), [...Object.keys(VALUES), 'layout'].sort(), 'each message is looked at here')
  const templates = new MailTemplates(TEMPLATES)
  for (const [message, values] of Object.entries(VALUES) as [MessageName, object][]) {
    const { subject, text, html } = await templates.render(message, { ...values, name: 'A & <b>B</b>', site: SITE })
    // That of a module's message is its author's.
    const { subject: given, ...shown } = values as { readonly subject?: string }
    t.match(subject, given ?? 'Tom & <Jerry>')
    t.match(text, /^Hello A & <b>B<\/b>,\n/)
    t.match(html, 'Hello A &amp; &lt;b&gt;B&lt;/b&gt;,')
    t.notMatch(html, '<Jerry>')
    t.notMatch(html, /<(?:img|link|script|iframe|object)\b|@import|url\(/i, 'nothing is fetched')
    const outside = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].filter(([, url]) => !url?.startsWith('https://example.org'))
    t.strictSame(outside, [])
    for (const value of Object.values(shown)) {
      t.match(text, String(value))
      t.match(html, String(value).replaceAll('&', '&amp;'))
    }
    t.notMatch((await templates.render(message, { ...values, name: '', site: SITE })).text, 'Hello')
  }
})

t.test('a value that is missing is a mistake of ours, and no empty place in a message', async (t) => {
  await t.rejects(new MailTemplates(TEMPLATES).render('code', { minutes: 10, name: '', site: SITE }), /code/)
})

t.test('the site’s templates win, one by one, and a broken one is passed by', async (t) => {
  const site = makeSite({ 'mail/code.txt.liquid': 'Own: {{ code }} {{ nothing }}' })
  t.teardown(site.remove)
  const broken: string[] = []
  const templates = new MailTemplates(TEMPLATES, site.path('mail'), (message) => broken.push(message))
  const values = { code: '123456', minutes: 10, name: '', site: SITE }
  const own = await templates.render('code', values)
  t.equal(own.text, 'Own: 123456 ')
  t.match(own.html, /<p class="code"/, 'the rest is ours')
  t.strictSame(broken, [])

  site.write('mail/code.txt.liquid', 'Own: {{ code')
  const ours = await templates.render('code', values)
  t.match(ours.text, /your code for/, 'a change counts from the next message on')
  t.equal(broken.length, 1)
  t.match(broken[0], /code/)
  t.notMatch(broken[0], '123456')
})

t.test('a template reads no file but a template', async (t) => {
  const site = makeSite({ 'secret.txt': 'secret', 'mail/code.txt.liquid': '{% render "../secret.txt" %}' })
  t.teardown(site.remove)
  const templates = new MailTemplates(TEMPLATES, site.path('mail'))
  const { text } = await templates.render('code', { code: '123456', minutes: 10, name: '', site: SITE })
  t.match(text, '123456')
  t.notMatch(text, 'secret')
})

t.test('without a mail server messages are files, theirs alone who run the site', async (t) => {
  const site = makeSite()
  t.teardown(site.remove)
  const clock = new TestClock()
  const jobs = new MemoryJobs(new MemoryQueue(), clock, 3)
  const shown: unknown[] = []
  let prepared = 0
  const transport = new FolderTransport(site.path('outbox'), async () => void prepared++)
  const onShown = ({ to }: { to: string }, secret: string) => shown.push([to, secret])
  const { outbox } = posting(t, jobs, clock, { transport, onShown })
  const places = await Promise.all(['ada', 'bob'].map((name) => outbox.deliver(codeFor(`${name}@example.org`))))
  t.strictSame(readdirSync(site.path('outbox')).sort(), ['2026-01-15T12-00-00-000Z-1.eml', '2026-01-15T12-00-00-000Z-2.eml'])
  t.equal(prepared, 2)
  t.equal(statSync(site.path('outbox')).mode & 0o777, 0o700)
  const texts = places.map((sent) => readFileSync(sent?.place ?? '', 'utf8'))
  for (const place of places) t.equal(statSync(place?.place ?? '').mode & 0o777, 0o600)
  t.match(texts[0], /\r\nTo: Ada <ada@example\.org>\r\n/)
  t.match(texts[1], /\r\nTo: Ada <bob@example\.org>\r\n/)
  for (const text of texts) {
    t.notMatch(text, /[^\r]\n/, 'lines end as RFC 5322 has it')
    t.match(text, '123456')
  }
  t.strictSame(shown.sort(), [
    ['ada@example.org', '123456'],
    ['bob@example.org', '123456'],
  ])
  t.match(await transport.examine(), { name: 'mail', state: 'note', hint: /mail\.smtp/ })
})

t.test('a template for mail has the same bounds, and the message goes out in other words', async (t) => {
  const bomb = '{% for i in (1..2000000000) %}x{% endfor %}'
  const ours = makeSite({ 'code.subject.liquid': 'A', 'code.txt.liquid': 'Ours', 'code.html.liquid': 'Ours' })
  const own = makeSite({ 'code.txt.liquid': bomb })
  t.teardown(ours.remove)
  t.teardown(own.remove)
  const broken: string[] = []
  const message = await new MailTemplates(ours.root, own.root, (message) => broken.push(message)).render('code', {})
  t.equal(message.text, 'Ours')
  t.match(broken, [/over 16 million items/])
})
