import t, { type Test } from 'tap'
import type { Fields } from '#module/module.ts'
import { makeForms } from '#modules/forms/forms.ts'
import { type Letter, TestModule } from '#support/module-context.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const DAY = 86_400_000

const CONTACT: Fields = {
  name: 'contact',
  label: 'Contact',
  mail_to: 'office@example.org',
  days: 30,
  fields: [
    { name: 'name', label: 'Your name', required: true, max: 40 },
    { name: 'email', label: 'E-mail', kind: 'email', required: true },
    { name: 'text', label: 'Message', kind: 'long text' },
    { name: 'topic', label: 'Topic', kind: 'choice', options: ['Boats', 'Ropes'] },
    { name: 'guests', label: 'Guests', kind: 'number' },
    { name: 'day', label: 'Day', kind: 'date' },
    { name: 'site', label: 'Site', kind: 'url' },
    { name: 'terms', label: 'Terms', kind: 'tick' },
  ],
}

const ANN: Fields = { name: 'Ann', email: 'ann@example.org' }

async function open(opened: OpenedStore, form: Fields = CONTACT): Promise<TestModule> {
  const module = new TestModule('forms', makeForms(), opened)
  await module.context.store.collection('forms').put('1', form)
  return module
}

const each = (name: string, body: (t: Test, opened: OpenedStore) => Promise<void>) =>
  t.test(name, (t) => eachStore(t, { now: '2026-11-28T12:00:00.000Z' }, body))

const send = (module: TestModule, body: Fields) => module.ask('POST /api/x/forms/contact', { body })
const refused = (module: TestModule, body: Fields) => send(module, body).catch((error: unknown) => error)
const listed = async (module: TestModule) => (await module.ask('GET /api/x/forms/contact/messages')).body

each('a thousand names that a form has not hold nobody up', async (t, opened) => {
  const long = (mark: string, n: number) => `${mark}${n}`.padEnd(60, 'x')
  const fields = Array.from({ length: 50 }, (_, n) => ({ name: long('f', n) }))
  const module = await open(opened, { ...CONTACT, fields })
  const body = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [long('g', n), 'x']))
  // The first time is slower.
  await refused(module, { [long('f', 60)]: 'x' })
  const begun = process.cpuUsage()
  const error = await refused(module, body)
  const { user, system } = process.cpuUsage(begun)
  t.match(error, {
    status: 422,
    errors: { [long('g', 0)]: [/Did you mean "f0x+"\?$/], [long('g', 999)]: [/^The form has no field "g999x+"\.$/] },
  })
  t.ok((user + system) / 1000 < 1000, `it took ${Math.round((user + system) / 1000)} ms`)
})

each('a message is kept, told of, listed and removed', async (t, opened) => {
  const module = await open(opened)
  const whole = {
    ...ANN,
    text: 'One\r\ntwo <b>bold</b>',
    ...{ topic: 'Boats', guests: '2', day: '2026-12-24', site: 'https://example.org/a', terms: 'on', website: '' },
  }
  t.match(await send(module, whole), { status: 201, body: { data: { message: 'Thank you for your message.' } }, auth: 'public' })
  const values = { ...whole, text: 'One\ntwo <b>bold</b>', guests: 2, terms: true } as Fields
  delete values.website
  const list = await module.ask('GET /api/x/forms/contact/messages')
  t.equal(list.auth, 'settings:write')
  t.match(list.body, {
    data: [{ form: 'contact', sent_at: '2026-11-28T12:00:00.000Z' }],
    meta: { total: 1, per_page: 20, current_page: 1, last_page: 1 },
  })
  const [message] = (list.body as { data: [{ id: string; values: Fields }] }).data
  t.strictSame(message.values, values)
  const [letter] = module.letters as [Letter]
  t.equal(letter.to, 'office@example.org')
  t.equal(letter.subject, 'Example: Contact')
  t.match(letter.text, 'Your name: Ann\nE-mail: ann@example.org\nMessage: One\ntwo <b>bold</b>\nTopic: Boats\n')
  t.match(await module.ask(`DELETE /api/x/forms/contact/messages/${message.id}`), { body: { data: { deleted: true } } })
  t.match(await listed(module), { data: [], meta: { total: 0 } })
  t.match(await module.ask(`DELETE /api/x/forms/contact/messages/${message.id}`).catch((error: unknown) => error), {
    status: 404,
  })
  t.match(await module.ask('POST /api/x/forms/other').catch((error: unknown) => error), { status: 404 })
})

each('values that a form does not ask for are refused', async (t, opened) => {
  const module = await open(opened)
  const wrong: readonly (readonly [Fields, string, RegExp])[] = [
    [{ email: 'ann@example.org' }, 'name', /required/],
    [{ ...ANN, name: '  ' }, 'name', /required/],
    [{ ...ANN, name: 'x'.repeat(41) }, 'name', /40 characters/],
    [{ ...ANN, name: 'Ann\r\nBcc: x@example.org' }, 'name', /one line/],
    [{ ...ANN, name: 'Ann\u0000' }, 'name', /one line/],
    [{ ...ANN, name: 7 }, 'name', /one line/],
    [{ ...ANN, name: ['Ann'] }, 'name', /one line/],
    [{ ...ANN, email: 'ann' }, 'email', /e-mail/],
    [{ ...ANN, email: 'a@b.c, d@e.f' }, 'email', /e-mail/],
    [{ ...ANN, text: 'x'.repeat(5001) }, 'text', /5000/],
    [{ ...ANN, topic: 'Other' }, 'topic', /Boats, Ropes/],
    [{ ...ANN, guests: '2e9' }, 'guests', /number/],
    [{ ...ANN, day: '2026-02-30' }, 'day', /day/],
    [{ ...ANN, site: 'javascript:alert(1)' }, 'site', /https/],
    [{ ...ANN, terms: 'maybe' }, 'terms', /ticked/],
    [{ ...ANN, nmae: 'x' }, 'nmae', /"name"/],
  ]
  for (const [body, field, message] of wrong)
    t.match(await refused(module, body), { status: 422, errors: { [field]: [message] } }, JSON.stringify(body).slice(0, 80))
  t.match(await listed(module), { meta: { total: 0 } })
  t.equal(module.letters.length, 0)
})

each('a program that fills in all there is gets an answer, and nothing is kept', async (t, opened) => {
  const module = await open(opened)
  t.match(await send(module, { ...ANN, website: 'https://spam.example/' }), { status: 201 })
  t.match(await send(module, { website: 'https://spam.example/' }), { status: 201 }, 'whatever else it sends')
  t.match(await listed(module), { meta: { total: 0 } })
  t.equal(module.letters.length, 0)
  const asking = { ...CONTACT, fields: [{ name: 'website', kind: 'url' }] }
  await module.context.store.collection('forms').put('1', asking)
  await send(module, { website: 'https://example.org/' })
  t.match(await listed(module), { meta: { total: 1 } }, 'a form may ask for it')
})

each('messages are CSV, and no cell is a formula', async (t, opened) => {
  const module = await open(opened)
  await send(module, { ...ANN, name: '=HYPERLINK("http://x")', text: 'a\nb' })
  opened.clock.advance(1000)
  await send(module, { ...ANN, guests: -3 })
  const { fields, ...form } = CONTACT
  const fewer = (fields as Fields[]).filter(({ name }) => name === 'name' || name === 'guests')
  await module.context.store.collection('forms').put('1', { ...form, fields: fewer })
  const { body, headers } = await module.ask('GET /api/x/forms/contact/messages', { headers: { accept: 'text/csv' } })
  t.equal(headers['content-type'], 'text/csv; charset=utf-8')
  const lines = [
    'sent_at,name,guests,email,text',
    '2026-11-28T12:00:01.000Z,Ann,-3,ann@example.org,',
    `2026-11-28T12:00:00.000Z,"'=HYPERLINK(""http://x"")",,ann@example.org,"a\nb"`,
  ]
  t.equal(body, `${lines.join('\r\n')}\r\n`, 'with what was asked for before')
  const page = module.definition.pages?.[0]
  const caller = { id: undefined, name: undefined, may: () => true }
  t.match(await page?.parts({}, module.context, caller), [{ kind: 'table', rows: [['Contact', '2', String, { text: 'CSV' }]] }])
  t.match(await page?.files?.['messages.csv']?.({ form: 'contact' }, module.context, caller), { type: 'text/csv', text: body })
})

each('messages go when they have been kept for as long as the form says', async (t, opened) => {
  const module = await open(opened)
  await send(module, ANN)
  opened.clock.advance(10 * DAY)
  await send(module, ANN)
  opened.clock.advance(20 * DAY - 1)
  await module.work('tidy')
  t.match(await listed(module), { meta: { total: 2 } })
  opened.clock.advance(1)
  await module.work('tidy')
  t.match(await listed(module), { meta: { total: 1 } })
})

each('a letter that can not be sent loses no message, and a flood of messages sends few', async (t, opened) => {
  const module = await open(opened)
  const { send: delivers } = module.context.mail
  Object.assign(module.context.mail, { send: () => Promise.reject(new Error('away')) })
  t.match(await send(module, ANN), { status: 201 })
  t.equal(module.logged.length, 1)
  Object.assign(module.context.mail, { send: delivers })
  for (let n = 0; n < 65; n++) await send(module, ANN)
  t.equal(module.letters.length, 59)
  t.match(await listed(module), { meta: { total: 66 } })
})
