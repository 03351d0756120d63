import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import type { MediaSource } from '#features/site/files/media-source.ts'
import type { Site } from '#features/site/site.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const { author } = localAccess({ name: 'Test', email: 'test@example.org' })
const FILES = {
  'content/about.md': '---\ntitle: About\n---\nUs.\n',
  'content/authors/ada.yaml': 'title: Ada Byron\n',
  'content/menus/main.yaml': 'items:\n  - { label: Us, record: { type: pages, id: about } }\n',
  'content/posts/a.md': '---\ntitle: First\ndate: 2026-01-02\ntags: [rare]\n---\nFor all.\n',
  'content/posts/b.md':
    '---\ntitle: Second\ndate: 2026-01-01\ntags: [common]\nauthor: ada\n---\nFor all, too. ![](/media/2026/p.png)\n',
}
const types = plainTypes({ authors: { permalink: null } })
const BROKEN = '{% bad %}\n'

interface Built {
  readonly opened: OpenedStore
  readonly site: Site
  /** Breaks or mends a template. */
  template(name: string, text: string | undefined): void
  hide(kind: string, id: string): Promise<unknown>
  /** Builds, and resolves with the messages of the problems. */
  build(): Promise<string[]>
  text(file: string): string | undefined
}

const media: MediaSource = {
  has: async () => true,
  picture: async () => undefined,
  canMakePictures: async () => true,
  find: async (path) => {
    const bytes = async () => ({ size: 1, open: async () => Readable.from(['p']) })
    return path === '2026/p.png' || path === 'lost.png' ? { version: path, bytes } : undefined
  },
}

function each(name: string, body: (t: Test, built: Built) => Promise<void>): void {
  t.test(name, (t) =>
    eachStore(t, { files: FILES, types, now: '2026-11-20T12:00:00.000Z' }, async (t, opened) => {
      const { site, folder } = publicSite(t, opened, false, { media: () => media })
      const out = folder.path('public')
      await body(t, {
        ...{ opened, site },
        template: (name, text) => {
          const file = `templates/site/${name}.liquid`
          if (text === undefined) rmSync(folder.path(file))
          else folder.write(file, text)
          // The theme is looked at once a second.
          opened.clock.advance(2_000)
        },
        hide: (kind, id) =>
          opened.store.write([{ key: keyOf(kind, id), put: { set: { status: 'draft' } } }], author, { action: 'unpublished' }),
        build: async () => (await site.build('public')).problems.map(({ message }) => message),
        text: (file) => (existsSync(join(out, file)) ? readFileSync(join(out, file), 'utf8') : undefined),
      })
      const all = readdirSync(out, { recursive: true, encoding: 'utf8' })
      t.notOk(all.some((file) => file.includes('.quire-') && file !== '.quire-build'))
    }),
  )
}

const REMOVED = /^Removed, .*: (.*)\.$/
const STAYS = /^These .* stay .*: (.*)\.$/
const named = (problems: readonly string[], said: RegExp) =>
  problems.flatMap((message) => said.exec(message)?.[1]?.split(', ') ?? [])

each(
  'a page that can not be made stays, unless its file has what is hidden by now',
  async (t, { build, template, hide, text }) => {
    t.same(await build(), [])
    t.match(text('index.html'), /First[\s\S]*Second/)
    for (const name of ['home', 'list']) template(name, BROKEN)
    const before = await build()
    t.same([named(before, REMOVED), named(before, STAYS)], [[], ['index.html', 'posts/index.html']])
    t.match(text('index.html'), 'First')

    await hide('posts', 'a')
    const after = await build()
    t.same([named(after, REMOVED), named(after, STAYS)], [['index.html', 'posts/index.html'], []])
    for (const file of ['index.html', 'posts/index.html', 'posts/a/index.html']) t.equal(text(file), undefined, file)
    t.match(text('posts/b/index.html'), 'For all, too')
    t.same(named(await build(), REMOVED), [], 'named once')

    for (const name of ['home', 'list']) template(name, undefined)
    t.same(await build(), [])
    t.notMatch(text('index.html'), 'First')
  },
)

each(
  'the media of pages that stay, and of the page for what is not there, stay as well',
  async (t, { build, template, text }) => {
    template('404', '<img src="/media/lost.png">')
    await build()
    const has = () => [text('media/2026/p.png'), text('media/lost.png')]
    t.same(has(), ['p', 'p'])
    for (const name of ['record', '404']) template(name, BROKEN)
    t.same(named(await build(), STAYS), ['404.html', 'posts/a/index.html', 'posts/b/index.html'])
    t.same(has(), ['p', 'p'])
    for (const name of ['record', '404']) template(name, undefined)
    await build()
    t.same(has(), ['p', undefined])
  },
)

each('what a page has of its authors, its terms and the menu counts', async (t, { build, template, hide, text }) => {
  await build()
  t.match([text('posts/b/index.html'), text('tags/index.html')], [/Ada Byron/, /rare/])
  for (const name of ['record', 'terms']) template(name, BROKEN)
  t.equal(named(await build(), REMOVED).length, 0)
  await hide('authors', 'ada')
  t.same(named(await build(), REMOVED), ['posts/a/index.html', 'posts/b/index.html'], 'and the post beside it')
  await hide('posts', 'a')
  t.same(named(await build(), REMOVED), ['tags/index.html'])

  for (const name of ['record', 'terms']) template(name, undefined)
  t.same(await build(), [])
  template('layout', BROKEN)
  t.equal(named(await build(), REMOVED).length, 0)
  await hide('pages', 'about')
  const problems = await build()
  t.match(
    problems.find((message) => REMOVED.test(message)),
    /404\.html, index\.html, .* more\.$/,
  )
  t.same([text('index.html'), text('404.html'), text('posts/b/index.html')], [undefined, undefined, undefined])
})

each('a page of which it is not known what it has is removed', async (t, { build, template, site, text }) => {
  await build()
  template('home', BROKEN)
  const list = text('.quire-build') ?? ''
  t.match(list, /^index\.html\t[\w-]+\t\d+\t/m)
  t.same(named(await build(), STAYS), ['index.html'])
  const { out } = await site.build('public')
  writeFileSync(join(out, '.quire-build'), list.replaceAll(/^(.+?\t[\w-]+)\t.*$/gm, '$1'))
  t.same(named(await build(), REMOVED), ['index.html'])
})
