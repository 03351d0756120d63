import t from 'tap'
import { keyOfFile } from '#core/files/layout.ts'
import { TestApp } from '#support/app.ts'
import { TestClock } from '#support/clock.ts'
import { publicSite } from '#support/public-site.ts'
import { makeSite } from '#support/sites.ts'
import { eachStore, openFolder } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/posts/a.md': '---\ntitle: A\n---\nPlain words.\n',
  'content/settings/site.yaml': 'smtp: HIDDEN\nbody: HIDDEN words.\n',
  'content/settings/custom.md': '---\ntitle: HIDDEN\n---\nHIDDEN words.\n',
  'content/Settings/site.yaml': 'smtp: HIDDEN\nbody: HIDDEN words.\n',
  'content/Menus/main.yaml': 'title: HIDDEN\n',
  'content/Taxonomy/tags/a.yaml': 'title: HIDDEN\n',
  'content/Media/a.jpg.yaml': 'title: HIDDEN\n',
}

t.test('settings are no records: not in the API, not found, not on the site', (t) =>
  eachStore(t, { files: FILES, types: plainTypes() }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { api: true, search: true } } })
    await opened.search.ready()
    const all = { as: 'admin' }
    for (const type of ['settings', 'Settings', 'Menus', 'Taxonomy', 'Media']) {
      t.equal((await app.ask(`GET /api/cms/${type}`, all)).status, 404, type)
      t.equal((await app.ask(`GET /api/cms/${type}/site`, all)).status, 404, `${type}/site`)
      t.equal((await app.ask(`POST /api/cms/${type}`, { ...all, body: { title: 'X' } })).status, 404, `in ${type}`)
    }
    const { body } = await app.ask('GET /api/cms/types', all)
    t.same(
      body.data.map(({ name }: { name: string }) => name),
      ['posts'],
    )
    const found = await app.ask('GET /api/cms/search?q=words', all)
    t.same(
      found.body.data.map(({ id }: { id: string }) => id),
      ['a'],
    )
    const { site, html } = publicSite(t, opened, true)
    for (const path of ['/', '/sitemap.xml', '/feed.xml', '/search/documents.json'])
      t.notMatch(await html(path), /HIDDEN|ettings/, path)
    for (const path of ['/settings', '/settings/site', '/settings/custom', '/Settings/site', '/Menus/main'])
      t.equal((await site.page(path)).status, 404, path)
    t.ok((await opened.store.kinds()).includes('settings'), 'they are kept, as menus are')
  }),
)

t.test('a file of settings directly in the content folder is no page, however it is spelled', async (t) => {
  for (const name of ['settings.yaml', 'settings.yml', 'Settings.yaml', 'SETTINGS.YML']) {
    const types = plainTypes()
    t.same(keyOfFile(name), name.startsWith('s') ? { kind: 'settings', id: 'settings' } : undefined, name)
    const folder = makeSite({ 'content/a.md': 'Words.\n', [`content/${name}`]: 'title: HIDDEN\nbody: HIDDEN words.\n' })
    const clock = new TestClock()
    const store = await openFolder(folder, types, clock)
    t.teardown(async () => {
      await store.close()
      folder.remove()
    })
    t.strictSame(
      (await store.heads('pages', {})).items.map(({ key }) => key.id),
      ['a'],
    )
    const { site } = publicSite(t, { store, types, clock })
    t.equal((await site.page('/settings')).status, 404)
  }
})
