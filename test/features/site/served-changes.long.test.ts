import { rmSync } from 'node:fs'
import t, { type Test } from 'tap'
import { keyOfFile } from '#core/files/layout.ts'
import { settingsOf } from '#core/settings.ts'
import type { Change } from '#core/store.ts'
import { Prints } from '#features/site/data/prints.ts'
import type { MadeOf, SitePage } from '#features/site/outline/site-snapshot.ts'
import { PageRenderer } from '#features/site/pages/page-renderer.ts'
import type { Site } from '#features/site/site.ts'
import { Cache } from '#lib/cache.ts'
import { CHANGING, POSTS, post } from '#support/changing-site.ts'
import { publicSite } from '#support/public-site.ts'
import type { TestSite } from '#support/sites.ts'
import { eachStore, type OpenedStore, openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

/** The number of changes for each store: 500 in the long form, `npm run test:served -- 500`. */
const CHANGES = Number(process.argv[2] ?? 0)
const SEED = Number(process.argv[3] ?? 1)
const BY = { name: 'Ada', email: 'ada@example.org' }
const NOW = '2026-06-01T12:00:00Z'
const MINUTE = 60_000

const types = plainTypes({
  posts: { additional_fields: true, per_page: 5 },
  notes: { wikilinks: true },
  docs: { sort: 'weight,title' },
  guide: { sort: '-weight' },
  trips: { template: 'trip', fields: { cover: { type: 'media' } }, additional_fields: true },
})

const MORE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(CHANGING).filter(([path]) => !/^content\/(?:docs|media|trips\/one\/cat)/.test(path))),
  'content/docs/_index.md': '---\ntitle: Docs\n---\nText.\n',
  'content/docs/deep.md': '---\ntitle: Deep\nweight: 2\n---\nUp: [docs](/docs). [map](../trips/one/map.txt)\n',
  'content/docs/deeper.md': '---\ntitle: Deeper\n---\n',
  'content/docs/in/_index.md': '---\ntitle: In\nweight: 1\n---\n',
  'content/docs/in/most.md': '---\ntitle: Most\n---\n',
  'content/guide/one.md': '---\ntitle: One\nweight: 1\n---\n',
  'content/guide/two.md': '---\ntitle: Two\nweight: 2\n---\n',
  'content/notes/taking.md': '---\ntitle: Taking\ntemplate: plain\n---\n![[taken]]\n\n[[Post 3]] [[p4|four]]\n\n![[p3]]\n',
  'content/tree.md': '---\ntitle: Tree\ntemplate: tree\n---\n',
  'content/nothing.md': '---\ntitle: Nothing\ntemplate: plain\n---\nText.\n',
  'templates/site/plain.liquid': '{{ record.html | raw }}{{ page.markdown }}',
  'templates/site/tree.liquid':
    '{% for n in site.sections.docs %}{{ n.title }}{{ n.url }}{% for m in n.children %}{{ m.title }}{% endfor %}{% endfor %}{% for pair in site.records %}{{ pair[0] }} {% endfor %}',
}
const FILES = Object.fromEntries(Object.entries(MORE).filter(([path]) => path.startsWith('content/') && !path.endsWith('.jpg')))
const THEME = Object.fromEntries(Object.entries(MORE).filter(([path]) => /^(?:templates|data)\//.test(path)))

const PATHS = [
  ...['/', '/page/2', '/posts', '/posts/page/2', '/posts/feed.xml', '/feed.json', '/feed.xml', '/posts/page/9', '/search'],
  ...['/posts/p0', '/posts/p1', '/posts/p2', '/posts/p3', '/posts/p12', '/posts/p13', '/posts/q0', '/posts/q1', '/posts/other'],
  ...['/own', '/old', '/us', '/about', '/about.md', '/wide', '/tagged', '/far', '/tree', '/nothing', '/nothing.md', '/nowhere'],
  ...['/docs', '/docs/deep', '/docs/deeper', '/docs/in', '/docs/in/most', '/guide', '/guide/one', '/guide/two'],
  ...['/trips/one', '/trips/a', '/notes/taking', '/notes/taken', '/notes/inner', '/posts/p1.md', '/index.md'],
  ...['/tags', '/tags/a', '/tags/b', '/tags/new', '/tags/a/rss.xml', '/sitemap.xml', '/llms.txt', '/robots.txt'],
]

interface Changing {
  readonly opened: OpenedStore
  readonly folder: TestSite
  /** A whole number below `most`. */
  pick(most: number): number
}

const WORDS = ['a', 'b', 'c', 'd']
const word = ({ pick }: Changing) => WORDS[pick(WORDS.length)] ?? ''
const one = (site: Changing, ...texts: readonly string[]) => texts[site.pick(texts.length)] ?? ''

function keyAt(path: string) {
  const key = keyOfFile(path)
  if (!key) throw new Error(path)
  return key
}

const write = ({ opened }: Changing, change: Change) => opened.store.write([change], BY)
const put = (site: Changing, path: string, text: string) =>
  write(site, { key: keyAt(path), put: { source: Buffer.from(text), file: path } })

async function remove(site: Changing, path: string): Promise<void> {
  const key = keyAt(path)
  if (await site.opened.store.head(key)) await write(site, { key, remove: true })
}

const FRONT = [
  ...['slug: other\n', 'draft: true\n', 'excerpt: Short\n', 'aliases: [/old]\n', 'noindex: true\n', 'unlisted: true\n'],
  ...['permalink: /own\n', 'permalink: /tags/a\n', 'permalink: /nothing.md\n', 'template: page\n', 'tags: [b, a]\n'],
  ...['tags: [new]\n', 'author: eve\n', 'status: archived\n'],
]

/** The changes of a site that is served, each of one thing that pages are made of. */
const KINDS: Readonly<Record<string, (site: Changing) => unknown>> = {
  body: (site) => put(site, `posts/p${site.pick(POSTS)}.md`, post(site.pick(POSTS), { body: `Text ${word(site)}.` })),
  title: (site) => {
    const n = site.pick(POSTS)
    return put(site, `posts/p${n}.md`, post(n, { title: `Title ${word(site)}` }))
  },
  front: (site) => {
    const n = site.pick(POSTS)
    return put(site, `posts/p${n}.md`, post(n, { more: one(site, ...FRONT) }))
  },
  status: async (site) => {
    const key = keyAt(`posts/p${site.pick(POSTS)}.md`)
    const set = { status: one(site, 'draft', 'published', 'in_review') }
    if (await site.opened.store.head(key)) await write(site, { key, put: { set } })
  },
  timed: (site) => {
    const n = site.pick(POSTS)
    const at = new Date(site.opened.clock.now() + (1 + site.pick(3)) * 20 * MINUTE).toISOString()
    return put(site, `posts/p${n}.md`, post(n, { more: `${one(site, 'published_at', 'expires_at')}: ${at}\n` }))
  },
  added: (site) =>
    put(site, `posts/q${site.pick(3)}.md`, post(3, { title: `Q ${word(site)}`, body: one(site, '[T](/tagged)', 'Text.') })),
  removed: (site) => remove(site, `posts/p${site.pick(POSTS)}.md`),
  moved: async (site) => {
    const [from, to] = [keyAt(`posts/p${site.pick(POSTS)}.md`), keyAt(`posts/q${site.pick(3)}.md`)]
    const { store } = site.opened
    if ((await store.head(from)) && !(await store.head(to))) await write(site, { key: to, from, put: {} })
  },
  several: (site) =>
    site.opened.store.write(
      [0, 1, 2].map((n) => ({ key: keyAt(`posts/p${n}.md`), put: { set: { title: `Of ${word(site)}`, tags: [word(site)] } } })),
      BY,
    ),
  author: (site) => put(site, 'authors/ada.yaml', `title: Ada ${word(site)}\n${one(site, '', 'draft: true\n')}`),
  unauthored: (site) => remove(site, 'authors/ada.yaml'),
  term: (site) => put(site, 'taxonomy/tags/a.yaml', `name: ${word(site)}\nparent: b\n`),
  menu: (site) => put(site, 'menus/main.yaml', `items: [{ label: ${word(site)}, url: /about/ }]\n`),
  unlead: (site) => remove(site, 'menus/main.yaml'),
  foot: (site) => put(site, 'menus/foot.yaml', `items: [{ record: { type: posts, id: p${site.pick(POSTS)} } }]\n`),
  setting: (site) => put(site, 'settings/site.yaml', `tagline: ${word(site)}\n`),
  home: (site) => put(site, 'index.md', `---\ntitle: ${word(site)}\n---\n[To](posts/p2.md)\n`),
  section: (site) =>
    put(
      site,
      one(site, 'docs/_index.md', 'docs/in/_index.md'),
      `---\ntitle: S ${word(site)}\n${one(site, '', 'draft: true\n')}---\n`,
    ),
  weight: (site) =>
    put(site, one(site, 'docs/deep.md', 'docs/in/most.md', 'guide/one.md'), `---\ntitle: W\nweight: ${site.pick(4)}\n---\n`),
  type: (site) =>
    site.pick(2) ? put(site, 'lonely/x.md', '---\ntitle: X\n---\n') : remove(site, one(site, 'lonely/x.md', 'guide/two.md')),
  trip: (site) =>
    put(site, 'trips/one/index.md', (MORE['content/trips/one/index.md'] ?? '').replace('Trip', `Trip\nslug: ${word(site)}`)),
  taken: (site) => {
    const more = one(site, '', '', 'draft: true\n', 'unlisted: true\n', 'slug: other\n')
    return put(site, 'notes/taken.md', `---\ntitle: Taken ${word(site)}\n${more}---\n![[${word(site)}]]\n\n![[inner]]\n`)
  },
  inner: (site) => put(site, 'notes/inner.md', `---\ntitle: Inner\n---\n${word(site)}\n`),
  template: ({ folder, ...site }) =>
    folder.write('templates/site/page.liquid', `{{ page.title }} ${word({ folder, ...site })} {{ record.html | raw }}`),
  unsteady: (site) =>
    site.folder.write('templates/site/plain.liquid', `{{ record.html | raw }}${one(site, '', "{{ 'now' | date: '%d' }}")}`),
  shortcode: (site) => site.folder.write('templates/shortcodes/note.liquid', `<p>${word(site)}{{ args.text }}</p>`),
  words: (site) => site.folder.write('templates/site/words/en.yaml', `mine: ${word(site)}\n`),
  data: (site) => site.folder.write('data/x.yaml', `y: ${site.pick(9)}\n`),
  undata: ({ folder }) => rmSync(folder.path('data/x.yaml'), { force: true }),
  clock: ({ opened, pick }) => opened.clock.advance(pick(4) * 10 * MINUTE),
}

const places = { settings: settingsOf({}), sizes: { per_page: 4, feed_limit: 6 } }

/** What is answered at a path, whole; an error as its message. */
async function answered(site: Site, path: string): Promise<string> {
  try {
    const { status, contentType, location = '', trusted = false, body, etag } = await site.page(path)
    return [status, contentType, location, trusted, etag, String(body)].join('\n')
  } catch (error) {
    return String(error)
  }
}

/** The paths of `some` at which a site that is served says another thing than one that is opened now. */
async function differing(t: Test, { opened, folder }: Changing, site: Site, some: readonly string[]): Promise<string[]> {
  const { clock } = opened
  // A change of templates is seen after a second.
  clock.advance(1_000)
  const folders = { ownTemplatesDir: folder.path('templates/site'), dataDir: folder.path('data'), root: folder.root }
  const { site: fresh } = publicSite(t, opened, true, { ...places, ...folders, siteFiles: opened.siteFiles })
  const different: string[] = []
  // One whose dates are not read yet may be made anew.
  await opened.store.dated()
  await fresh.page('/')
  await opened.store.dated()
  for (const path of some) if ((await answered(site, path)) !== (await answered(fresh, path))) different.push(path)
  fresh.close()
  return different
}

function picker(seed: number) {
  let state = seed * 2_654_435_761
  return (most: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) % most
  }
}

async function begun(t: Test, opened: OpenedStore): Promise<Changing & { readonly site: Site }> {
  const { site, folder } = publicSite(t, opened, true, { ...places, files: THEME, siteFiles: opened.siteFiles })
  const changing = { opened, folder, pick: picker(SEED), site }
  for (const path of PATHS) await answered(site, path)
  return changing
}

t.test('after any change each page that is served is the one of a process that begins now', (t) =>
  eachStore(t, { files: FILES, types, now: NOW }, changed),
)

async function changed(t: Test, opened: OpenedStore): Promise<void> {
  const { site, ...changing } = await begun(t, opened)
  const names = Object.keys(KINDS)
  // In short each store has every other kind once, else each has each once, and then by chance.
  const first = CHANGES > 0 ? names : names.filter((_, n) => n % 2 === (opened.name === 'postgres' ? 1 : 0))
  for (let n = 0; n < Math.max(CHANGES, first.length); n++) {
    const name = first[n] ?? names[changing.pick(names.length)] ?? ''
    await KINDS[name]?.(changing)
    // Pages that nobody asks for meanwhile are of older states.
    const some = PATHS.filter(() => changing.pick(CHANGES > 0 ? 2 : 3) === 0)
    t.same(await differing(t, changing, site, some), [], `${n}: ${name}`)
  }
}

/** Has pages be kept with less: what `of` leaves of all that each was made of. Returns what ends that. */
function keptWith(of: (made: MadeOf) => MadeOf) {
  const { set } = Cache.prototype
  Cache.prototype.set = function (key, value: { page?: SitePage }, ...more) {
    const made = value.page?.madeOf
    set.call(this, key, made ? { ...value, page: { ...value.page, madeOf: of(made) } } : value, ...more)
  }
  return () => Object.assign(Cache.prototype, { set })
}

const without = (question: string) => () =>
  keptWith(({ asked, ...made }) => ({ ...made, asked: asked.filter(([one]) => !one.startsWith(question)) }))

/** Has a part of what is compared be the same for all states of the site. */
function sameAlways(of: object, name: string, value: unknown) {
  const before: unknown = Reflect.get(of, name)
  Object.assign(of, { [name]: () => value })
  return () => Object.assign(of, { [name]: before })
}

const file = (path: string, text: string) => (site: Changing) => put(site, path, text)

/** What pages are kept with, each with a change that is not seen without it. */
const EDGES: Readonly<Record<string, readonly [take: () => () => unknown, change: (site: Changing) => unknown]>> = {
  records: [() => sameAlways(Prints.prototype, 'of', { print: '', keys: [] }), file('posts/p13.md', post(13, { body: 'Else.' }))],
  basis: [() => sameAlways(PageRenderer.prototype, 'basis', ''), file('settings/site.yaml', 'tagline: Others\n')],
  lists: [without('list '), file('posts/p13.md', post(13, { title: 'Else' }))],
  names: [without('names '), file('lonely/x.md', '---\ntitle: X\n---\n')],
  trees: [without('tree '), file('docs/in/most.md', '---\ntitle: Else\n---\n')],
  terms: [without('terms '), file('posts/p0.md', post(0, { more: 'tags: [new]\n' }))],
  beside: [without('beside '), file('guide/two.md', '---\ntitle: Else\nweight: 2\n---\n')],
  texts: [without('embed '), file('notes/inner.md', '---\ntitle: Inner\n---\nElse.\n')],
  pageOf: [without('pageOf '), file('posts/p0.md', post(0, { more: 'slug: else\n' }))],
  pageAt: [without('pageAt '), file('posts/p5.md', post(5, { more: 'aliases: [/old]\n' }))],
}

t.test('each thing that a page is kept with is missed where it is taken out', async (t) => {
  const names = Object.keys(EDGES).slice(0, CHANGES > 0 ? undefined : 2)
  for (const name of names) {
    const [take, change] = EDGES[name] ?? []
    const opened = await openFiles({ files: FILES, types, now: NOW })
    const end = take?.()
    const { site, ...changing } = await begun(t, opened)
    await change?.(changing)
    t.not((await differing(t, changing, site, PATHS)).length, 0, name)
    end?.()
    await opened.close()
  }
})
