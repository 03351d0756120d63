import t from 'tap'
import { changesAsked } from '#features/admin/dashboard/dashboard.ts'
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
      t.match((await browser.get('/admin')).html, /Recent changes[\s\S]*Hello again/)
    },
    { site: { history: true } },
  ),
)
