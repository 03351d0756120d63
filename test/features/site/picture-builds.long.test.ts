import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { HINTS_LAST_MS } from '#core/feed/hints.ts'
import type { SiteFiles } from '#core/files/site-files.ts'
import { keyOf } from '#core/key.ts'
import type { Fields } from '#lib/json.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore, putBeside } from '#support/stores.ts'
import { BESIDE, by, FILES, picturesIn, plain, siteOf, types } from './fixtures/pictures.ts'

t.test('pages with a picture that changes are made again, and no others', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types, history: true }, async (t, opened) => {
    const templates = {
      'templates/site/record.liquid': '{{ record.html | raw }}{{ record.fields.cover | image: width: 300, height: 100 }}',
      'templates/site/layout.liquid': '{% block main %}{% endblock %}',
    }
    const { site, folder, app } = siteOf(t, opened, { templates, kept: t.testdir() })
    const read = (name: string) => readFileSync(folder.path(`public/posts/${name}/index.html`), 'utf8')
    const names = ['one', 'two', 'three', 'trip'] as const
    const state = () => Object.fromEntries(names.map((name) => [name, read(name)]))
    const changed = async () => {
      const before = state()
      await site.build('public')
      const now = state()
      rm(folder.path('fresh'))
      await publicSite(t, opened, false, {
        ...{ siteFiles: opened.siteFiles, media: () => app.features.media.copies, files: templates },
      }).site.build(folder.path('fresh'))
      for (const name of names)
        t.equal(
          now[name],
          readFileSync(folder.path(`fresh/posts/${name}/index.html`), 'utf8'),
          `${name} is as a build of all makes it`,
        )
      return names.filter((name) => before[name] !== now[name])
    }
    await site.build('public')
    t.same(await changed(), [])
    const wide = keyOf('media', 'wide.jpg')
    const set = (fields: Fields) => opened.store.write([{ key: wide, put: { set: fields } }], by)
    await set({ alt: 'Another' })
    t.same(await changed(), ['one'])
    await set({ focal_point: { x: 0.9, y: 0.5 } })
    t.same(await changed(), ['one'], 'the name of what is cut is another')
    await set({ title: 'Shown nowhere' })
    t.same(await changed(), [])
    const { unchanged } = await site.build('public')
    t.ok(unchanged > names.length)
  }),
)

t.test('a file in the place of another shows its own size on the next page, in feeds, and as a build of all makes it', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types }, async (t, opened) => {
    const { site, folder, app, html } = siteOf(t, opened, { kept: t.testdir() })
    const addresses = ['/posts/trip', '/posts/two', '/posts/feed.json', '/posts/one', '/nowhere']
    const all = async () => Object.fromEntries(await Promise.all(addresses.map(async (path) => [path, await html(path)])))
    const before = await all()
    const { etag } = await site.page('/posts/one')
    await site.build('public')
    await putBeside(opened, 'content/posts/trip/cat.png', await plain(70, 80).png().toBuffer())
    await putBeside(opened, 'content/media/small.png', await plain(1000, 900).png().toBuffer())
    await putBeside(opened, 'static/logo.webp', Buffer.from('gone'))
    opened.clock.advance(HINTS_LAST_MS)
    const after = await all()
    t.match(picturesIn(after['/posts/trip'] ?? ''), [
      { src: '/posts/trip/cat.png', width: '70', height: '80' },
      { src: '/logo.webp', width: undefined },
    ])
    t.match(picturesIn(after['/posts/two'] ?? ''), [{ width: '1000', height: '900', srcset: / 1000w$/ }])
    t.match(after['/posts/feed.json'], /width=\\"70\\" height=\\"80\\"/)
    t.equal((await site.page('/posts/one')).etag, etag, 'other pages stay')
    t.same(
      addresses.filter((path) => before[path] !== after[path]),
      ['/posts/trip', '/posts/two', '/posts/feed.json'],
    )
    t.equal(await site.page('/posts/trip'), await site.page('/posts/trip'), 'it is kept again')
    await site.build('public')
    const options = { siteFiles: opened.siteFiles, media: () => app.features.media.copies }
    await publicSite(t, opened, false, options).site.build(folder.path('fresh'))
    for (const name of ['posts/trip/index.html', 'posts/two/index.html', 'posts/feed.json', 'index.html', 'feed.xml'])
      t.equal(readFileSync(folder.path(`public/${name}`), 'utf8'), readFileSync(folder.path(`fresh/${name}`), 'utf8'), name)
    t.equal(readFileSync(folder.path('public/posts/trip/index.html'), 'utf8'), after['/posts/trip'])
  }),
)

function rm(folder: string): void {
  if (existsSync(folder)) rmSync(folder, { recursive: true })
}

t.test('a second build reads no picture, and makes none', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types, now: '2030-01-01T00:00:00Z' }, async (t, opened) => {
    const { siteFiles } = opened
    const kept = t.testdir()
    const opens: string[] = []
    const watched: SiteFiles = {
      find: siteFiles.find.bind(siteFiles),
      isTaken: siteFiles.isTaken.bind(siteFiles),
      list: siteFiles.list.bind(siteFiles),
      recordFolders: siteFiles.recordFolders.bind(siteFiles),
      open: (file, range) => {
        opens.push(file.path)
        return siteFiles.open(file, range)
      },
    }
    const build = async (out: string) => {
      opens.length = 0
      const { site } = siteOf(t, opened, { siteFiles: watched, kept })
      return await site.build(out)
    }
    const out = join(t.testdir({}), 'public')
    t.match(await build(out), { removed: 0 })
    t.ok(opens.includes('media/wide.jpg'))
    const made = readdirSync(join(kept, 'cache/pictures')).length
    t.ok(made > 0)
    t.match(await build(out), { removed: 0, files: 11 })
    t.same(opens, [], 'what is there is known')
    await build(`${out}-new`)
    t.notOk(
      opens.some((path) => path === 'media/turned.jpg'),
      'what no page shows is not read',
    )
    t.equal(readdirSync(join(kept, 'cache/pictures')).length, made)
  }),
)

t.test('where sharp is not installed pages have whole pictures, and that is said once', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types }, async (t, opened) => {
    const { site, folder, html, app } = siteOf(t, opened)
    Object.assign(app.features.media.copies, { canMakePictures: async () => false })
    const { problems } = await site.build('public')
    t.match(
      problems.filter(({ message }) => message.includes('sharp')),
      [{ severity: 'warning', message: /Pages have whole ones/ }],
    )
    const page = readFileSync(folder.path('public/posts/one/index.html'), 'utf8')
    t.match(page, /<img src="\/media\/wide\.jpg"[^>]* width="900" height="600"/)
    t.notMatch(page, 'srcset')
    t.equal(await html('/posts/one'), page)
    t.same(readdirSync(folder.path('public/media')).sort(), ['small.png', 'wide.jpg'])
  }),
)
