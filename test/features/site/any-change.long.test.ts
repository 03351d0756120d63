import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { FORMATS } from '#config/schema/media.ts'
import type { UrlStyle } from '#core/page-address.ts'
import { settingsOf } from '#core/settings.ts'
import { BuildMemory } from '#features/site/building/build-memory.ts'
import { ShownNames } from '#features/site/building/shown-names.ts'
import { Unchanged } from '#features/site/building/unchanged.ts'
import type { MediaSource } from '#features/site/files/media-source.ts'
import { PageRenderer } from '#features/site/pages/page-renderer.ts'
import { Summaries } from '#features/site/pages/summaries.ts'
import { Site } from '#features/site/site.ts'
import { CHANGING, POSTS, post } from '#support/changing-site.ts'
import { TestClock } from '#support/clock.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { openFolder, siteFilesIn } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

/** The number of changes: 500 in the long form, `npm run test:changes -- 500`. */
const CHANGES = Number(process.argv[2] ?? 0)
const SEED = Number(process.argv[3] ?? 1)
const TEMPLATES = fileURLToPath(new URL('../../../templates/site/', import.meta.url))
const NOON = Date.parse('2026-06-01T12:00:00Z')
const HOUR = 3_600_000

/** What of a site is in no file. */
interface Surroundings {
  name: string
  urls: UrlStyle
  typographer: boolean
  /** Records on a page of posts, and in a feed of them. */
  posts: { per_page: number; feed_limit: number }
  /** The same of the lists of terms and the home page. */
  lists: { per_page: number; feed_limit: number }
  now: number
}

interface Changing {
  readonly folder: TestSite
  readonly around: Surroundings
  /** A whole number below `most`. */
  pick(most: number): number
}

const WORDS = ['a', 'b', 'c', 'd']
const word = ({ pick }: Changing) => WORDS[pick(WORDS.length)] ?? ''
const FRONT = [
  'slug: other\n',
  'draft: true\n',
  'excerpt: Short\n',
  'aliases: [/old]\n',
  'noindex: true\n',
  'unlisted: true\n',
  'permalink: /own\n',
  'template: page\n',
  'tags: [b, a]\n',
  'tags: [new]\n',
  'author: eve\n',
  'expires_at: 2026-06-01T15:00:00Z\n',
  'published_at: 2026-06-01T14:00:00Z\n',
  'cover: p.png\n',
  'cover: ../trips/one/cat.jpg\n',
  'image: /pictures/a.png\n',
]

/** The changes that people and programs make, each of one thing that pages are made of. */
const KINDS: Readonly<Record<string, (site: Changing) => void>> = {
  body: (site) =>
    site.folder.write(`content/posts/p${site.pick(POSTS)}.md`, post(site.pick(POSTS), { body: `Text ${word(site)}.` })),
  title: (site) => {
    const n = site.pick(POSTS)
    site.folder.write(`content/posts/p${n}.md`, post(n, { title: `Title ${word(site)}` }))
  },
  front: (site) => {
    const n = site.pick(POSTS)
    site.folder.write(`content/posts/p${n}.md`, post(n, { more: FRONT[site.pick(FRONT.length)] ?? '' }))
  },
  added: (site) =>
    site.folder.write(
      `content/posts/q${site.pick(3)}.md`,
      post(3, { title: `Q ${word(site)}`, body: site.pick(2) ? '[T](/tagged)' : 'Text.' }),
    ),
  removed: (site) => rmSync(site.folder.path(`content/posts/p${site.pick(POSTS)}.md`), { force: true }),
  moved: ({ folder, pick }) => {
    const [from, to] = [`content/posts/p${pick(POSTS)}.md`, `content/posts/p${pick(POSTS)}.md`]
    if (existsSync(folder.path(from))) renameSync(folder.path(from), folder.path(to))
  },
  author: (site) => site.folder.write('content/authors/ada.yaml', `title: Ada ${word(site)}\n`),
  named: ({ folder, pick }) =>
    pick(2)
      ? folder.write('content/authors/ada.yaml', 'title: ada\n')
      : rmSync(folder.path('content/authors/ada.yaml'), { force: true }),
  term: (site) => site.folder.write('content/taxonomy/tags/a.yaml', `name: ${word(site)}\nparent: b\n`),
  menu: (site) => site.folder.write('content/menus/main.yaml', `items: [{ label: ${word(site)}, url: /about/ }]\n`),
  foot: ({ folder, pick }) =>
    folder.write('content/menus/foot.yaml', `items: [{ record: { type: posts, id: p${pick(POSTS)} } }]\n`),
  setting: (site) => site.folder.write('content/settings/site.yaml', `tagline: ${word(site)}\n`),
  home: (site) => site.folder.write('content/index.md', `---\ntitle: ${word(site)}\n---\n[To](posts/p2.md)\n`),
  section: (site) =>
    site.folder.write('content/docs.md', `---\ntitle: Docs ${word(site)}\n${site.pick(3) === 0 ? 'draft: true\n' : ''}---\n`),
  chosen: ({ folder, pick }) => folder.write('content/wide.md', `---\ntitle: Wide\n${pick(2) ? 'template: wide\n' : ''}---\n`),
  template: (site) =>
    site.folder.write(
      'templates/site/page.liquid',
      `{{ page.title }} ${word(site)} {{ record.html | raw }}{% render 'partials/latest', site: site %}\n`,
    ),
  partial: (site) =>
    site.folder.write(
      'templates/site/partials/latest.liquid',
      `${word(site)}{{ site.records.posts.first.title }}{{ "mine" | t }}`,
    ),
  shortcode: (site) => site.folder.write('templates/shortcodes/note.liquid', `<p>${word(site)}{{ args.text }}</p>`),
  words: (site) => site.folder.write('templates/site/words/en.yaml', `mine: ${word(site)}\n`),
  data: ({ folder, pick }) => folder.write('data/x.yaml', `y: ${pick(9)}\n`),
  static: (site) => site.folder.write(`static/${site.pick(2) ? 'x' : word(site)}.txt`, word(site)),
  unstatic: (site) => rmSync(site.folder.path(`static/${word(site)}.txt`), { force: true }),
  pictured: ({ folder, pick }) => {
    const named = ['p.png', '../trips/one/cat.jpg', '/pictures/a.png', '/pictures/b.png', '/x.txt'][pick(5)] ?? ''
    folder.write(`content/posts/p${pick(POSTS)}.md`, post(pick(POSTS), { more: `cover: ${named}\n` }))
  },
  picture: (site) => site.folder.write(`static/pictures/${site.pick(2) ? 'a' : word(site)}.png`, word(site)),
  unpicture: (site) => rmSync(site.folder.path(`static/pictures/${word(site)}.png`), { force: true }),
  foldered: ({ folder }) => {
    const [file, own] = ['content/docs/deep.md', 'content/docs/deep']
    if (existsSync(folder.path(file))) {
      mkdirSync(folder.path(own), { recursive: true })
      renameSync(folder.path(file), folder.path(`${own}/index.md`))
    } else renameSync(folder.path(`${own}/index.md`), folder.path(file))
  },
  attachment: (site) => site.folder.write('content/trips/one/cat.jpg', word(site)),
  attached: ({ folder, pick }) =>
    pick(2) ? folder.write('content/trips/one/map.txt', 'm') : rmSync(folder.path('content/trips/one/map.txt'), { force: true }),
  trip: (site) =>
    site.folder.write(
      'content/trips/one/index.md',
      CHANGING['content/trips/one/index.md']?.replace('Trip', `Trip ${word(site)}\nslug: ${word(site)}`) ?? '',
    ),
  taken: (site) => {
    const more = ['', '', 'draft: true\n', 'unlisted: true\n', 'slug: other\n'][site.pick(5)] ?? ''
    site.folder.write('content/notes/taken.md', `---\ntitle: Taken ${word(site)}\n${more}---\n![[${word(site)}]]\n\n![[inner]]\n`)
  },
  inner: (site) => site.folder.write('content/notes/inner.md', `---\ntitle: Inner\n---\n${word(site)} ![](p.png)\n`),
  media: (site) => site.folder.write('content/media/p.png', word(site)),
  unmedia: ({ folder }) => rmSync(folder.path('content/media/p.png'), { force: true }),
  name: (site) => Object.assign(site.around, { name: `Site ${word(site)}` }),
  urls: ({ around, pick }) => Object.assign(around, { urls: (['directory', 'slash', 'file'] as const)[pick(3)] }),
  typographer: ({ around }) => Object.assign(around, { typographer: !around.typographer }),
  sizes: ({ around, pick }) => {
    const sizes = { per_page: 1 + pick(20), feed_limit: 1 + pick(20) }
    Object.assign(around, pick(2) ? { posts: sizes } : { lists: sizes })
  },
  clock: ({ around, pick }) => Object.assign(around, { now: NOON + pick(5) * HOUR }),
  deletion: ({ folder, pick }) => rmSync(folder.path(`public/posts/p${pick(POSTS)}/index.html`), { force: true }),
}

/** Has the site opened anew, as every command does, and builds it. */
async function build({ folder, around }: Changing, trial?: 'verify') {
  const clock = new TestClock(new Date(around.now).toISOString())
  const { name, urls, typographer, posts, lists } = around
  const types = plainTypes({
    posts: { typographer, additional_fields: true, ...posts },
    notes: { wikilinks: true },
    trips: { template: 'trip', fields: { cover: { type: 'media' } }, additional_fields: true },
  })
  const store = await openFolder(folder, types, clock)
  const places = { url: 'https://example.org', content: 'content', templates: 'templates' }
  const names = { ...places, ...lists, name, locale: 'en', timezone: 'UTC' }
  const site = new Site({
    ...{ root: folder.root, store, siteFiles: siteFilesIn(folder, clock), types, clock },
    config: {
      site: names,
      build: { base_url: null, drafts: false, future: false, urls },
      features: { sitemap: true, taxonomy: true, search: true },
      media: { types: FORMATS },
    },
    media: () => mediaOf(folder),
    settings: settingsOf({}),
    templatesDir: TEMPLATES,
    ownTemplatesDir: folder.path('templates/site'),
    dataDir: folder.path('data'),
    memory: { folder: folder.path('.cms/cache'), basis: 'one' },
  })
  try {
    return await site.build('public', { trial })
  } finally {
    site.close()
    await store.close()
  }
}

function mediaOf(folder: TestSite): MediaSource {
  const bytesOf = (path: string) => {
    const file = folder.path(`content/media/${path}`)
    return existsSync(file) ? readFileSync(file) : undefined
  }
  return {
    has: async (path) => bytesOf(path) !== undefined,
    picture: async () => undefined,
    canMakePictures: async () => false,
    find: async (path) => {
      const bytes = bytesOf(path)
      if (!bytes) return undefined
      const version = createHash('sha1').update(bytes).digest('hex')
      return { version, bytes: async () => ({ size: bytes.length, open: async () => Readable.from([bytes]) }) }
    },
  }
}

/** The files that are not as a build of everything makes them. */
async function differing(site: Changing): Promise<string[]> {
  const { changes } = await build(site, 'verify')
  return [...changes.written, ...changes.removed, ...(changes.isListed ? ['.quire-build'] : [])]
}

function begun(seed = SEED): Changing & { remove(): void } {
  const folder = makeSite(CHANGING)
  let state = seed * 2_654_435_761
  const pick = (most: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) % most
  }
  const sizes = { per_page: 10, feed_limit: 20 }
  const around: Surroundings = { name: 'Site', urls: 'directory', typographer: false, posts: sizes, lists: sizes, now: NOON }
  return { folder, around, pick, remove: () => folder.remove() }
}

t.test('after any change a build leaves what a build of everything leaves', async (t) => {
  const site = begun()
  t.teardown(() => site.remove())
  await build(site)
  const names = Object.keys(KINDS)
  for (let n = 0; n < Math.max(CHANGES, names.length); n++) {
    // Each kind once, and then by chance.
    const name = names[n < names.length ? n : site.pick(names.length)] ?? ''
    KINDS[name]?.(site)
    await build(site)
    t.same(await differing(site), [], `${n}: ${name}`)
  }
})

t.test('a build goes on from what another machine has remembered', async (t) => {
  const [here, there] = [begun(), begun()]
  t.teardown(() => {
    for (const site of [here, there]) site.remove()
  })
  // A page whose picture can't be shown is made each time, to name it.
  const trip = 'content/trips/one/index.md'
  here.folder.write(trip, CHANGING[trip]?.replace('cover: p.png\n', '') ?? '')
  await build(here)
  rmSync(there.folder.root, { recursive: true })
  cpSync(here.folder.root, there.folder.root, { recursive: true })
  let printed: string[] = []
  const { printPlan } = PageRenderer.prototype
  PageRenderer.prototype.printPlan = function (plan, ...others) {
    printed.push(plan.facts.path)
    return printPlan.call(this, plan, ...others)
  }
  t.teardown(() => Object.assign(PageRenderer.prototype, { printPlan }))
  await build(there)
  t.same(printed, [], 'files with other times and numbers are known by their bytes')
  there.folder.write('content/about.md', '---\ntitle: About\naliases: [/us]\n---\nAnother text.\n')
  await build(there)
  t.same(printed, ['/about'])
  printed = []
  t.same(await differing(there), [])
  t.ok(printed.length > 20)
})

/** Has what a memory takes for the inputs and questions of pages be another. Returns what ends that. */
function remembering(inputsOf: (inputs: string) => string, isAsked: (question: string) => boolean = () => true, media = true) {
  const { add, madeOf } = BuildMemory.prototype
  BuildMemory.prototype.add = function (file, inputs, stamp, known = {}) {
    const asked = (known.asked ?? []).filter(([question]) => isAsked(question))
    add.call(this, file, inputsOf(inputs), stamp, { asked, media: media ? (known.media ?? []) : [] })
  }
  BuildMemory.prototype.madeOf = function (file, inputs) {
    return madeOf.call(this, file, inputsOf(inputs))
  }
  return () => Object.assign(BuildMemory.prototype, { add, madeOf })
}

const without = (question: string) => () =>
  remembering(
    (inputs) => inputs,
    (one) => !one.startsWith(question),
  )

/** Has all pages depend on less: the part of a basis at an index is left out. */
const basisWithout = (index: number) => () => {
  const { open } = BuildMemory
  BuildMemory.open = (folder, out, basis) =>
    open.call(
      BuildMemory,
      folder,
      out,
      JSON.stringify(JSON.parse(basis).map((part: unknown, n: number) => (n === index ? 0 : part))),
    )
  return () => Object.assign(BuildMemory, { open })
}

/** Has the views of records depend on less. */
const printWithout = (index: number) => () => {
  const { inputs } = Summaries.prototype
  Summaries.prototype.inputs = async function (entry, snapshot) {
    const made = await inputs.call(this, entry, snapshot)
    return { ...made, text: JSON.stringify(JSON.parse(made.text).map((part: unknown, n: number) => (n === index ? 0 : part))) }
  }
  return () => Object.assign(Summaries.prototype, { inputs })
}

/** Has a page that was not looked at closely be taken for unchanged in more cases. */
const seen = (known: Partial<Pick<Unchanged, 'doubtful' | 'isWithout'>>) => () => {
  const { doubtful, isWithout } = Unchanged.prototype
  Object.assign(Unchanged.prototype, known)
  return () => Object.assign(Unchanged.prototype, { doubtful, isWithout })
}

const anyShape = () => {
  const { since } = Unchanged
  Unchanged.since = (before, now, ...others) => since.call(Unchanged, before && { ...before, shape: now.shape }, now, ...others)
  return () => Object.assign(Unchanged, { since })
}

const withoutNames = () => {
  const { of } = ShownNames.prototype
  ShownNames.prototype.of = () => ({ own: '', shared: '' })
  return () => Object.assign(ShownNames.prototype, { of })
}

const kind = (name: string) => (site: Changing) => KINDS[name]?.(site)
const written = (file: string, text: string) => (site: Changing) => site.folder.write(file, text)

/** What pages are remembered with, each with a change that is not found without it. */
const EDGES: Readonly<Record<string, readonly [take: () => () => void, change: (site: Changing) => void]>> = {
  records: [
    () => remembering((inputs) => inputs.replace(/\n.*/s, '')),
    written('content/posts/p13.md', post(13, { body: 'Another.' })),
  ],
  lists: [without('list '), written('content/posts/p13.md', post(13, { title: 'Another' }))],
  theme: [basisWithout(1), kind('partial')],
  media: [() => remembering((inputs) => inputs, undefined, false), written('content/posts/p0.md', post(0, { body: 'Another.' }))],
  plan: [
    () => remembering((inputs) => inputs.replace(/^\[\{[^\n]*/, '')),
    written('content/docs.md', '---\ntitle: Others\n---\n'),
  ],
  sizes: [
    () => remembering((inputs) => inputs.replace(/"paging":\{[^}]*\}/, '').replace(/\n.*/s, '')),
    ({ around }) => Object.assign(around, { posts: { per_page: 9, feed_limit: 20 } }),
  ],
  missing: [() => remembering((inputs) => inputs.replace(/^404\.html .*/, '')), kind('added')],
  pageOf: [without('pageOf '), written('content/docs/deeper.md', '---\ntitle: Deeper\nslug: other\n---\n')],
  pageAt: [
    without('pageAt '),
    written('content/wide.md', '---\ntitle: Wide\ntemplate: wide\npermalink: /wider\naliases: [/wide]\n---\n'),
  ],
  fileAt: [without('fileAt '), written('content/trips/one/index.md', '---\ntitle: Trip\nslug: other\n---\n')],
  texts: [without('embed '), written('content/notes/inner.md', '---\ntitle: Inner\n---\nAnother.\n')],
  mediaAt: [without('media '), kind('unmedia')],
  beside: [without('beside '), written('content/docs/deeper.md', '---\ntitle: Deeper\nexcerpt: Another\n---\n')],
  terms: [without('terms '), written('content/posts/p0.md', post(0, { more: 'tags: [new]\n' }))],
  site: [basisWithout(2), ({ around }) => Object.assign(around, { name: 'Another' })],
  menus: [basisWithout(6), written('content/menus/main.yaml', 'items: [{ label: Else, url: /about }]\n')],
  settings: [basisWithout(7), written('content/settings/site.yaml', 'tagline: Others\n')],
  files: [() => remembering((inputs) => inputs.replace(/^file .*/, 'file')), written('static/x.txt', 'Another')],
  shape: [anyShape, written('content/docs.md', '---\ntitle: Others\n---\n')],
  changed: [seen({ isWithout: () => true }), written('content/posts/p13.md', post(13, { body: 'Another.' }))],
  names: [withoutNames, written('content/posts/p13.md', post(13, { body: 'Another.' }))],
  doubtful: [seen({ doubtful: () => [] }), kind('unmedia')],
  version: [printWithout(1), written('content/posts/p13.md', post(13, { body: 'Another.' }))],
  typographer: [printWithout(5), kind('typographer')],
  summary: [printWithout(7), written('content/authors/ada.yaml', 'title: Another\n')],
}

t.test('each thing that a page is remembered with is missed where it is taken out', async (t) => {
  for (const [name, [take, change]] of Object.entries(EDGES)) {
    const site = begun()
    const end = take()
    try {
      await build(site)
      t.same(await differing(site), [], `${name}: nothing changed`)
      change(site)
      await build(site)
      t.not((await differing(site)).length, 0, name)
    } finally {
      end()
      site.remove()
    }
  }
})
