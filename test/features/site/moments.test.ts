import t from 'tap'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'

const NOW =
  "{{ 'now' | date: '%Y-%m-%dT%H:%M' }} {{ 'today' | date_to_xmlschema }} {{ 'now' | day }} {{ 'now' | date_to_rfc822 }}"

t.test('now is the time of the state that is shown, on all its pages, and the day where the site is', (t) => {
  const files = {
    'content/index.md': '---\ntitle: Home\n---\n',
    'content/a.md': '---\ntitle: A\n---\n{{< moment >}}\n',
    'content/b.md': '---\ntitle: B\n---\n',
  }
  const templates = {
    'templates/site/page.liquid': `${NOW}{{ record.html | raw }}`,
    'templates/shortcodes/moment.liquid': `<b>${NOW}</b>`,
  }
  return eachStore(t, { files, now: '2026-06-01T12:00:00Z' }, async (t, opened) => {
    const { html } = publicSite(t, opened, false, { files: templates })
    await html('/')
    // Once dates are known, everything is read anew.
    await opened.store.dated()
    const noon = '2026-06-01T12:00 2026-06-01T12:00:00+00:00 June 1, 2026 Mon, 01 Jun 2026 12:00:00 +0000'
    t.equal((await html('/a')).trim(), `${noon}<b>${noon}</b>`)
    opened.clock.advance(3_600_000)
    t.match(await html('/b'), noon, 'a page that is made later is of the same state')
    opened.clock.advance(12 * 3_600_000)
    t.match(await html('/b'), '2026-06-02T01:00 ', 'of another day there is another state')
  })
})

t.test('now of the data is a text where no template names it', (t) => {
  const files = { 'content/a.md': '---\ntitle: A\nwhen: now\n---\n' }
  return eachStore(t, { files }, async (t, opened) => {
    const page = '{{ record.fields.when | date: "%Y" }}|{{ record.fields.when | day }}'
    const { html } = publicSite(t, opened, false, { files: { 'templates/site/page.liquid': page } })
    t.equal((await html('/a')).trim(), 'now|')
  })
})
