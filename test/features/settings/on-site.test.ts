import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { groupKey, settingsOf } from '#core/settings.ts'
import { publicSite } from '#support/public-site.ts'
import { makeSite } from '#support/sites.ts'
import { eachStore } from '#support/stores.ts'

const by = { name: 'Ada', email: 'ada@example.org' }
const declared = settingsOf({
  'shop.currency': { type: 'text', default: 'eur', public: true },
  'shop.margin': { type: 'number', default: 5 },
})
const FILES = {
  'content/about.md': '---\ntitle: About\n---\nUs.\n',
  'content/settings/shop.yaml': 'margin: 12\n',
  'content/settings/custom.yaml': 'colors: [red, "<blue>"]\n',
}
const PAGE = `[{{ settings.shop.currency }}|{{ settings.shop.margin }}|{{ settings.custom.colors | join }}|{{ settings.site.tagline }}|{{ settings.x.y }}]`
const files = { 'templates/site/page.liquid': PAGE }

t.test('templates know the settings, and pages change with them', (t) =>
  eachStore(t, { files: FILES }, async (t, opened) => {
    const { store } = opened
    const { html } = publicSite(t, opened, false, { files, settings: declared })
    t.equal(await html('/about'), '[eur|12|red &lt;blue&gt;||]')
    const put = async (group: string, set: { [name: string]: string | number | null }) => {
      await store.write([{ key: groupKey(group), put: { set } }], by)
    }
    await put('shop', { margin: 13, currency: 'usd' })
    t.equal(await html('/about'), '[usd|13|red &lt;blue&gt;||]')
    await put('site', { tagline: 'Bread & butter', description: 'All of it' })
    t.equal(await html('/about'), '[usd|13|red &lt;blue&gt;|Bread &amp; butter|]')
    const home = await html('/')
    t.match(home, '<p class="standfirst">Bread &amp; butter</p>', 'the starter theme shows it')
    t.match(home, '<meta name="description" content="All of it">')
    await put('shop', { margin: null })
    t.match(await html('/about'), '[usd|5|')
    await store.write([{ key: groupKey('site'), remove: true }], by)
    t.notMatch(await html('/'), /standfirst|description/)
    const off = publicSite(t, opened, false, { files })
    t.equal(await off.html('/about'), '[||||]', 'switched off, there are none')
  }),
)

t.test('a build makes pages anew when a setting is another', (t) =>
  eachStore(t, { files: FILES }, async (t, opened) => {
    const kept = makeSite()
    t.teardown(() => kept.remove())
    const memory = { folder: kept.path('cache'), basis: 'one' }
    const { site, folder } = publicSite(t, opened, false, { files, settings: declared, memory })
    const out = folder.path('public')
    const about = () => readFileSync(join(out, 'about', 'index.html'), 'utf8')
    await site.build(out)
    t.match(about(), '[eur|12|')
    await opened.store.write([{ key: groupKey('shop'), put: { set: { margin: 14 } } }], by)
    await site.build(out)
    t.match(about(), '[eur|14|')
  }),
)
