import t from 'tap'
import { localAccess } from '#core/access/access.ts'
import { changesAsked } from '#features/admin/dashboard/dashboard.ts'
import { stepsOf } from '#features/admin/dashboard/first-steps.ts'
import { factsOf, troubleLines } from '#features/admin/dashboard/standing.ts'
import { panelOf } from '#support/panel.ts'

const DAY = 86_400_000

t.test('a large site is asked for its changes of late alone', async (t) => {
  t.strictSame(changesAsked(20_000, 40 * DAY), {})
  t.strictSame(changesAsked(20_001, 40 * DAY), { since: '1970-01-11T00:00:00.000Z' })
})

t.test('the dashboard tells what changed last, however long ago', (t) =>
  panelOf(
    t,
    { 'content/posts/hello.md': '---\ntitle: Hello there\n---\nText.\n' },
    async (t, { browser, opened, app }) => {
      await app.ask('PUT /api/cms/posts/hello', { body: { title: 'Hello again' } })
      opened.clock.advance(90 * DAY)
      await browser.signIn('ada@example.org')
      const { html } = await browser.get('/admin')
      t.match(html, /Recent changes[\s\S]*Hello again/)
      const facts = [...html.matchAll(/<dt>([^<]*)<\/dt><dd>(?:<code>)?([^<]*)/g)].map(([, label, text]) => `${label}: ${text}`)
      const [storage, , ...repository] = facts
      if (opened.name !== 'postgres')
        t.match([storage, ...repository], ['Storage: Files', /^Repository: \w+$/, /^Last commit: [0-9a-f]{7}$/])
    },
    { site: { history: true } },
  ),
)

t.test('the dashboard of somebody without drafts is the same before and after one is made', (t) =>
  panelOf(
    t,
    { 'content/posts/hello.md': '---\ntitle: Hello there\n---\nText.\n' },
    async (t, { app, as }) => {
      for (const role of ['viewer', 'contributor']) {
        const { browser } = await as(role)
        const before = (await browser.get('/admin')).html
        t.match(before, /<dt>Storage</)
        await app.ask('POST /api/cms/posts', { body: { title: `Secret of ${role}` } })
        t.equal(inText((await browser.get('/admin')).html), inText(before))
      }
    },
    { site: { history: true } },
  ),
)

t.test('a site without content begins with commands that can be copied', (t) =>
  panelOf(t, {}, async (t, { browser }) => {
    const { html } = await browser.get('/admin')
    const commands = [...html.matchAll(/data-copy="([^"]*)"/g)].map(([, command]) =>
      command?.replaceAll('&#34;', '"').replaceAll('&quot;', '"'),
    )
    const bring = 'cp -r ~/my-blog/posts content/ && cms check'.replace('&&', '&amp;&amp;')
    t.strictSame(commands, ['cms new posts "Hello, world"', bring])
    t.match(html, /href="\/admin\/users"[^>]*>Invite somebody/)
    t.notMatch(
      JSON.stringify(stepsOf({ first: undefined, people: undefined, folder: undefined })),
      /cp -r/,
      'a database has no folder',
    )
  }),
)

t.test('the dashboard tells how storage and git stand', async (t) => {
  const now = Date.parse('2026-11-23T08:00:00Z')
  const telling = { locale: 'en', timezone: 'UTC', now }
  const local = localAccess({ name: 'Ada', email: 'ada@example.org' })
  const author = { ...local, may: (scope: string) => scope !== 'settings:write' }
  const remote = { remote: 'origin', branch: 'main', ahead: 2, behind: 1, conflicts: 0, push: 'on', error: null }
  const health = (details: object, more: object = {}) => ({
    ok: true,
    problems: [],
    details: { documents: 1200, ...details },
    ...more,
  })
  const told = (details: object) => factsOf(health(details), false, true, telling).map(({ label, text }) => `${label}: ${text}`)
  t.strictSame(
    told({ git: { branch: 'main', commit: '9f31c0e000' }, remote: { ...remote, last_sync_at: '2026-11-23T07:41:00Z' } }),
    [
      'Storage: Files',
      'Documents: 1,200',
      'Repository: main',
      'Last commit: 9f31c0e',
      'origin: 2 to push, 1 to pull',
      'Synced: 07:41',
    ],
  )
  t.match(told({ git: { branch: null, commit: null }, remote: { ...remote, ahead: 0, behind: 0 } }), [
    /./,
    /./,
    /no branch/,
    /All pushed/,
  ])
  t.match(told({ git: { branch: 'main' }, remote: { ...remote, ahead: null, behind: null } })[3], /Not synced/)
  t.match(told({ git: { without: 'none' } })[2], /no history/)
  t.match(told({ git: { read_only: 'x', fault: 'y' } })[2], /Can’t be read/)
  t.match(factsOf(health({}), true, true, telling), [{ text: 'Database' }, { text: '1,200' }])
  t.strictSame(factsOf({ ok: false, problems: ['away'], details: {} }, true, true, telling).length, 1)

  const bad = health(
    { git: { without: 'broken' }, remote: { ...remote, conflicts: 1, push: 'held', error: 'No network.' } },
    { readOnly: 'A merge is in progress.' },
  )
  const titles = (access: typeof local) => troubleLines(bad, access).map((line) => (line as { title: string }).title)
  t.strictSame(titles(local), [
    'Nothing can be saved now',
    'Changes are not committed',
    '1 file changed on both sides',
    'Pushing waits for you',
    'The last sync failed',
  ])
  t.strictSame(titles(author), ['Nothing can be saved now'], 'the rest is for who runs the site')
  t.strictSame(troubleLines(health({ git: { without: 'none' } }), local), [], 'without git is no trouble')
  t.match(troubleLines({ ok: false, problems: ['The database can’t be asked.'], details: {} }, local), [{ note: /database/ }])
})

/** What a page says, without what differs from one answer to the next. */
function inText(html: string): string {
  return html.replace(/^.*<main/s, '').replace(/<[^>]+>/g, '')
}
