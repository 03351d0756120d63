import t, { type Test } from 'tap'
import type { AuditEntry } from '#core/audit-log.ts'
import { PANEL_FEATURES, type PanelGiven, panelOf } from '#support/panel.ts'

const START = Date.parse('2026-01-10T12:00:00.000Z')

function entry(id: string, over: Partial<AuditEntry> = {}, at = START): AuditEntry {
  return {
    ...{ id, at: new Date(at).toISOString(), actor: { kind: 'user', id: 'jun', name: 'Jun Takeda' }, via: 'session:1' },
    ...{ action: 'record.updated', target: { kind: 'record', type: 'posts', id: 'tides', title: 'On tides' }, outcome: 'ok' },
    ...{ changed: ['title', 'body'], request_id: 'r1', ip: '192.0.2.1' },
    ...over,
  }
}

const panel = (name: string, body: (t: Test, given: PanelGiven) => Promise<void>) =>
  t.test(name, (t) => panelOf(t, {}, body, { config: { features: { ...PANEL_FEATURES, audit: true } } }))

panel('the log is a page by day, whose words are safe', async (t, { opened, browser }) => {
  await opened.audit.append([
    entry('a'),
    entry('b', { actor: { kind: 'local', id: null, name: '<script>alert(1)</script>\nforged' } }),
    entry('c', { action: 'record.deleted', outcome: 'refused' }),
    entry('d', {
      action: 'auth.failed',
      outcome: 'failed',
      actor: { kind: 'local', id: null, name: null },
      target: null,
      count: 7,
    }),
  ])
  const { status, html } = await browser.get('/admin/audit?until=2026-01-11')
  t.equal(status, 200)
  t.match(html, /<h1>Audit log<\/h1>/)
  t.match(html, /<h2>10 January<\/h2>/)
  t.match(html, /<b>Jun Takeda<\/b> changed <b>On tides<\/b>/)
  t.match(html, /tried to delete <b>On tides<\/b>.*Refused/s)
  t.match(html, /Sign-in failed.*7 times within a minute/s)
  t.match(html, /192\.0\.2\.1/)
  t.notMatch(html, /<script>alert/)
  t.match(html, /&lt;script&gt;alert/)
})

panel('it is narrowed by its address, and exported as it is', async (t, { opened, browser }) => {
  const other = { actor: { kind: 'token', id: 'ci', name: 'The bot' } } as const
  await opened.audit.append([
    entry('a'),
    entry('b', { ...other, action: 'record.deleted' }),
    entry(
      'c',
      { ...other, outcome: 'refused', target: { kind: 'user', type: 'user', id: 'ben', title: 'Ben' } },
      START + 86_400_000,
    ),
  ])
  const shown = async (query: string) => {
    const { html } = await browser.get(`/admin/audit?until=2026-01-12&${query}`)
    return [...html.matchAll(/<b>(Jun Takeda|The bot)<\/b> (?:tried to )?(\w+)/g)].map(([, who, what]) => `${who} ${what}`)
  }
  t.strictSame(await shown(''), ['The bot change', 'The bot deleted', 'Jun Takeda changed'])
  t.strictSame(await shown('actor=ci'), ['The bot change', 'The bot deleted'])
  t.strictSame(await shown('outcome=refused'), ['The bot change'])
  t.strictSame(await shown('target=posts/tides&action=record.deleted'), ['The bot deleted'])
  t.strictSame(await shown('since=2026-01-11'), ['The bot change'])
  t.strictSame((await browser.get('/admin/audit?since=nonsense&outcome=odd')).status, 200, 'what no control sends is nothing')
  const { html } = await browser.get('/admin/audit?actor=ci')
  t.match(html, /By <b>The bot<\/b>/)
  t.match(html, /href="\/admin\/audit\/export\?actor=ci&amp;format=csv"/)
  const file = await browser.get('/admin/audit/export?actor=ci&format=csv')
  t.match(file.headers, { 'content-type': /^text\/csv/, 'content-disposition': /audit\.csv/ })
  t.equal(file.html.trim().split('\r\n').length, 3)
  t.equal((await browser.get('/admin/audit/export?format=ndjson&actor=ci')).html.trim().split('\n').length, 2)
  const made = await opened.audit.page({ action: 'export.made' }, {})
  t.match(made.items[0], { actor: { name: 'Ada' }, via: /^session:/, ip: '127.0.0.1', target: { kind: 'audit' } })
  t.equal(made.total, 2)
})

panel('who may not read it does not know of it', async (t, { as }) => {
  const { browser } = await as('editor')
  t.notMatch((await browser.get('/admin')).html, /\/admin\/audit/)
  for (const url of ['/admin/audit', '/admin/audit/export?format=csv', '/admin/audit/create'])
    t.equal((await browser.get(url)).status, 404, url)
})
