import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { documentFields } from '#features/modules/context/collections.ts'
import { SHIPPED } from '#modules/shipped.ts'
import { makeKeys } from '#packages/proof.ts'
import { TestApp } from '#support/app.ts'
import { startChromium } from '#support/chromium.ts'
import { PANEL_FEATURES, panelOn } from '#support/panel.ts'
import { Receiver } from '#support/receiver.ts'
import { BY } from '#support/signing-in.ts'
import { openFiles, openMemory } from '#support/stores.ts'
import { moduleOf, publicationOf } from '../features/marketplace/modules.ts'
import { lookAt, type NamedState } from './looks.ts'
import { signedPage, sortsOfPages } from './panel-site.ts'

/** `all` takes each page at each width in each theme; else each page is taken once. */
const isWhole = process.argv[2] === 'all'
/** A part of the names of those that are looked at. */
const only = process.argv[3] ?? ''

const PLANS = [
  { id: 'solo', name: 'Solo', amount: 900, interval: 'month', seats: 1, trial_days: 0 },
  { id: 'pro', name: 'Professional', amount: 4950, interval: 'month', seats: 20, trial_days: 0 },
]
const CONTACT = {
  name: 'contact',
  label: 'Contact us about boats',
  days: 30,
  fields: [
    { name: 'name', label: 'Your name', required: true, max: 40 },
    { name: 'text', label: 'Message', kind: 'long text' },
  ],
}

const chromium = await startChromium()
t.teardown(() => chromium.close())

t.test('pages of teams, billing, webhooks, the audit log and modules can be used by all', async (t) => {
  const { privateKey, publicKey } = makeKeys()
  const other = new TestApp(await openMemory({}), { config: { features: { api: true, auth: true, modules: true } } })
  t.teardown(() => other.close())
  const registry = await other.app.listen({ port: 0, host: '127.0.0.1' })
  const readme = { name: 'README.md', bytes: `# Contacts\n\nA *form*.\n\n    ${'a long line '.repeat(20)}\n` }
  const publish = async (name: string, version: string, more: object) => {
    const body = publicationOf(moduleOf({ name, version, ...more }, [readme]), name, version, privateKey)
    const { status, text } = await other.ask('POST /api/modules', { as: 'modules:publish', body })
    t.equal(status, 201, text)
  }
  await publish('contacts', '1.0.0', {
    description: 'People and how to reach them.',
    permissions: ['mail', 'http:api.example.org'],
  })
  await publish('tides', '0.3.1', { description: 'The tides of a harbour, on any page that asks for them.' })

  const opened = await openFiles({ files: { 'content/posts/a.md': '# A\n' } })
  t.teardown(() => opened.close())
  writeFileSync(join(opened.site.root, 'cms.config.yaml'), 'site: { name: X }\n')
  const on = await Promise.all(
    SHIPPED.map(async ({ load, ...shipped }) => ({
      ...{ ...shipped, version: '1.0.0', folder: undefined, definition: await load() },
    })),
  )
  const receiver = await Receiver.listen(t)
  const { app, browser, as } = await panelOn(t, opened, {
    config: {
      features: {
        ...{ ...PANEL_FEATURES, events: true, webhooks: true, audit: true, teams: true, billing: true },
        ...{ modules: true, analytics: true, forms: true },
      },
      analytics: { days: 365, ignore: [] },
      billing: { plans: PLANS, seller: { name: 'Quire Ltd', address: '1 Street\nTown', tax_id: 'GB1' }, tax_percent: 19 },
      modules: { registry, signing_keys: [publicKey], enabled: [] },
    },
    undescribed: /^\/api\/(?:x|analytics)\b/,
    deps: { receivers: { isAllowed: () => true, patience: 1_000 }, modules: { on, off: [] } },
  })
  await as('editor')
  await browser.get('/admin/account')
  const put = async (url: string, form: Record<string, string | readonly string[]>) => {
    const answer = await browser.post(url, form)
    t.equal(answer.status, 303, `${url}: ${/role="alert"[^<]*>([^<]*)/.exec(answer.html)?.[1] ?? ''}`)
  }
  await put('/admin/teams', { name: 'The harbour office of a rather long name', slug: 'harbour' })
  await app.features.events.due()
  await put('/admin/webhooks', { url: receiver.url, 'events[]': ['record.*'], description: 'Search' })
  receiver.answer = (response) => response.writeHead(500).end('Away for the day')
  await opened.store.write([{ key: keyOf('posts', 'b'), put: { set: { title: 'B', status: 'draft' } } }], BY)
  await app.features.events.due()
  await app.features.webhooks.drains.run()
  await put('/admin/modules/contacts/add', { version: '1.0.0' })
  await publish('contacts', '1.1.0', { description: 'People.', permissions: ['mail'] })
  await opened.store.write([{ key: keyOf('.forms-forms', '1'), put: { set: documentFields(CONTACT) } }], BY)
  const sent = await app.ask('POST /api/x/forms/contact', { body: { name: 'Ann', text: 'When does the ferry leave?' } })
  t.equal(sent.status, 201, sent.text)

  const { page, origin, errors } = await signedPage(t, chromium, { app, browser })
  const urls = (await sortsOfPages(browser)).filter((url) =>
    // What is CSV is saved, and not shown.
    /^\/admin(?:$|\/(?:teams|billing|invoices|webhooks|audit|modules|x|analytics)\b(?!.*(?:csv|&)))/.test(url),
  )
  t.ok(urls.length > 12, urls.join(' '))
  const open = (url: string) => page.goto(`${origin}${url}`)
  const states = urls.map((url): NamedState => [url, () => open(url)])
  const press = async (url: string, selector: string, after: string) => {
    await open(url)
    await page.evaluate((selector) => document.querySelector<HTMLElement>(selector)?.click(), selector)
    await page.waitForSelector(after)
  }
  states.push(
    ['an entry of the audit log, opened', () => press('/admin/audit', '.audit-entry > summary', '.audit-entry[open]')],
    ['a team without a name', () => press('/admin/teams/create', '.foot .primary', '[aria-invalid]')],
    ['a webhook without an address', () => press('/admin/webhooks/create', '.foot .primary', '[aria-invalid]')],
    ['a module that is to be removed', () => press('/admin/modules/contacts', 'form[action$=remove] button', '.danger')],
    [
      'a module whose registry is not reached',
      async () => {
        await other.app.close()
        await open('/admin/modules/tides')
      },
    ],
    ['a registry that is not reached', () => open('/admin/modules')],
  )
  await lookAt(
    t,
    states.filter(([name]) => name.includes(only)),
    { page, errors, isWhole },
  )
})
