import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { AuditEntry } from '#core/audit-log.ts'
import { makeKeys } from '#packages/proof.ts'
import { TestApp } from '#support/app.ts'
import { PANEL_FEATURES, panelOn } from '#support/panel.ts'
import { openFiles, openMemory } from '#support/stores.ts'
import { moduleOf, publicationOf } from './modules.ts'

const BASE = '/admin/modules'

t.test('modules are found, added, updated, switched and removed in the panel', async (t) => {
  const { privateKey, publicKey } = makeKeys()
  const other = new TestApp(await openMemory({}), { config: { features: { api: true, auth: true, modules: true } } })
  t.teardown(() => other.close())
  const url = await other.app.listen({ port: 0, host: '127.0.0.1' })
  const publish = async (version: string, more: object = {}) => {
    const readme = { name: 'README.md', bytes: '# Contacts\n\nA *form*. <script>alert(1)</script> [on](javascript:x)\n' }
    const tgz = moduleOf({ version, description: 'A <b>form</b>.', tags: ['forms'], ...more }, [readme])
    const body = publicationOf(tgz, 'contacts', version, privateKey)
    t.equal((await other.ask('POST /api/modules', { as: 'modules:publish', body })).status, 201)
  }
  await publish('1.0.0')

  const opened = await openFiles({})
  t.teardown(() => opened.close())
  const root = opened.site.root
  writeFileSync(join(root, 'cms.config.yaml'), 'site: { name: X }\n')
  const config = {
    features: { ...PANEL_FEATURES, modules: true, audit: true },
    modules: { registry: url, signing_keys: [publicKey], enabled: [] },
  }
  const { app, ada, browser, as } = await panelOn(t, opened, { config })
  const { browser: others } = await as('editor')
  for (const path of [BASE, `${BASE}/contacts`]) t.equal((await others.get(path)).status, 404, path)
  t.notMatch((await others.get('/admin')).html, `href="${BASE}"`)
  t.match((await browser.get('/admin')).html, `href="${BASE}"`)
  t.match((await browser.get(BASE)).html, /contacts[\s\S]*A &lt;b&gt;form[\s\S]*Signed/)
  t.match((await browser.get(`${BASE}?q=nothing`)).html, /Nothing fits/)
  const page = (await browser.get(`${BASE}/contacts`)).html
  t.match(
    page,
    /Install 1\.0\.0[\s\S]*Keep data of its own[\s\S]*not a wall[\s\S]*Ed25519, good[\s\S]*<em>form<\/em>\. &lt;script&gt;/,
  )
  t.notMatch(page, /href="javascript/)
  t.notOk(existsSync(join(root, 'modules')), 'nothing is done by looking')
  t.match(await browser.post(`${BASE}/contacts/add`, { version: '1.0.0' }), {
    status: 303,
    location: `${BASE}?tab=there&done=saved`,
  })
  t.match(readFileSync(join(root, 'cms.config.yaml'), 'utf8'), /enabled:\n {4}- contacts/)
  t.match((await browser.get(`${BASE}?tab=there`)).html, /A restart is due/)

  await publish('2.0.0', { permissions: ['mail'] })
  t.match((await browser.get(`${BASE}?tab=updates`)).html, /contacts[\s\S]*2\.0\.0/)
  t.match((await browser.get(`${BASE}/contacts`)).html, /Update to 2\.0\.0[\s\S]*Send email[\s\S]*−[\s\S]*Keep data/)
  t.match(await browser.post(`${BASE}/contacts/add`, { version: '2.0.0' }), { status: 303 })
  const older = await browser.post(`${BASE}/contacts/add`, { version: '1.0.0' })
  t.match([older.status, older.html], [409, /Nothing was changed\.[\s\S]*older than 2\.0\.0/])
  t.match(await browser.post(`${BASE}/contacts/disable`), { status: 303 })
  t.match((await browser.get(`${BASE}?tab=there`)).html, /Switched off/)
  t.match(await browser.post(`${BASE}/contacts/enable`), { status: 303 })
  t.match((await browser.post(`${BASE}/contacts/remove`)).html, /Remove contacts\?[\s\S]*data and settings stay/)
  t.ok(existsSync(join(root, 'modules/contacts/index.js')), 'it is asked first')
  await others.get('/admin/account')
  t.equal((await others.post(`${BASE}/contacts/remove`, { sure: 'yes' })).status, 404)
  t.match(await browser.post(`${BASE}/contacts/remove`, { sure: 'yes' }), { status: 303 })
  t.notOk(existsSync(join(root, 'modules/contacts')))
  const told = (await app.ask('GET /api/audit?target=module/contacts')).body.data as AuditEntry[]
  const deeds = ['added', 'disabled', 'enabled', 'removed', 'updated']
  t.strictSame(
    told.map(({ action }) => action).sort(),
    deeds.map((deed) => `module.${deed}`),
  )
  for (const one of told) t.match(one, { actor: { id: ada.id }, via: /^session:/, outcome: 'ok', ip: '127.0.0.1' })
  await other.app.close()
  t.match((await browser.get(BASE)).html, /The registry is not reached/)
})
