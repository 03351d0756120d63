import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { FORMATS } from '#config/schema/media.ts'
import type { Store } from '#core/store.ts'
import { Site } from '#features/site/site.ts'
import { TestClock } from '#support/clock.ts'
import { runsOf } from '#support/long.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { openFolder, siteFilesIn } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const TEMPLATES = fileURLToPath(new URL('../../../templates/site/', import.meta.url))

const FILES: Record<string, string> = {
  'content/index.md': '---\ntitle: Welcome\n---\nSee [one](posts/p0.md).\n',
  'content/about.md': '---\ntitle: About\n---\nSee [one](posts/p1.md) and [none](posts/none.md).\n',
  'content/authors/ada.yaml': 'title: Ada\n',
  'content/taxonomy/tags/a.yaml': 'name: The first\n',
  'content/menus/main.yaml': 'items:\n  - { label: Us, record: { type: pages, id: about } }\n',
  'content/vault/_index.md': '---\ntitle: Vault\n---\n',
  'content/vault/deep/_index.md': '---\ntitle: Deep\n---\n',
  'content/vault/deep/v.md': '---\ntitle: V\nweight: 1\n---\n[[p3]] [[Post 4]] [[other]] [[old]] [[deep#x]]\n',
  'content/vault/deep/w.md': '---\ntitle: W\nweight: 2\n---\n[[v]]\n',
}
/** Templates that read much of what is elsewhere on the site. */
const READING: Record<string, string> = {
  'templates/site/partials/latest.liquid':
    '{% for post in site.records.posts limit: 3 %}{{ post.title }} {{ post.url }} {{ post.fields.excerpt }} {{ post.reading_time }}{% endfor %}',
  'templates/site/page.liquid':
    "{{ page.title }}{{ record.html | raw }}{% render 'partials/latest', site: site %}{{ site.data.x.y }}",
  'templates/site/record.liquid':
    '{{ page.title }}{{ record.html | raw }}{{ record.next.title }}{{ record.previous.excerpt }}{% for one in record.related %}{{ one.title }}{{ one.authors[0].name }}{% endfor %}{% for b in page.breadcrumbs %}{{ b.title }}{% endfor %}{% for item in menus.foot %}{{ item.url }}{% endfor %}{{ section.title }}{% for one in section.sections %}{{ one.title }}{% endfor %}',
  'templates/site/wide.liquid':
    '{% for n in site.sections.vault %}{{ n.title }}{{ n.url }}{{ n.children[0].title }}{% endfor %}{{ site.records.posts.size }}{{ site.records.posts[2].title }}{{ site.records.posts.last.id }}{% for x in site.taxonomies.tags.terms %}{{ x.name }}{{ x.count }}{% endfor %}{% assign cheap = site.records.posts | where: "fields.slug", "other" %}{{ cheap | map: "title" | join: "," }}',
  'content/menus/foot.yaml': 'items:\n  - { record: { type: posts, id: p2 } }\n',
  'content/wide.md': '---\ntitle: Wide\ntemplate: wide\n---\n',
  'data/x.yaml': 'y: 1\n',
}
for (let n = 0; n < 12; n++) FILES[`content/posts/p${n}.md`] = post(n, 'a', 'A text.')

function post(n: number, tag: string, body: string, more = ''): string {
  return `---\ntitle: Post ${n}\ndate: 2026-01-${10 + n}\ntags: [${tag}]\nauthor: ada\n${more}---\n${body} [Next](p${n + 1}.md).\n`
}

async function build(folder: TestSite, out: string, memory: boolean, basis = 'one', meddle = (_: Store) => {}) {
  const clock = new TestClock()
  const types = plainTypes({ vault: { wikilinks: true, sort: 'weight' } })
  const store = await openFolder(folder, types, clock)
  meddle(store)
  const names = {
    name: 'S',
    url: 'https://example.org',
    locale: 'en',
    timezone: 'UTC',
    content: 'content',
    templates: 'templates',
  }
  const siteFiles = siteFilesIn(folder, clock)
  const site = new Site({
    ...{ root: folder.root, store, siteFiles, types, clock },
    config: {
      site: names,
      build: { base_url: null, drafts: false, future: false },
      features: { sitemap: true, taxonomy: true, search: true },
      media: { types: FORMATS },
    },
    templatesDir: TEMPLATES,
    ownTemplatesDir: folder.path('templates/site'),
    dataDir: folder.path('data'),
    ...(memory && { memory: { folder: folder.path('.cms/cache'), basis } }),
  })
  try {
    return await site.build(out)
  } finally {
    site.close()
    await store.close()
  }
}

function filesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.filter((name) => statSync(join(folder, name)).isFile())
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

const SOME = fc.nat({ max: 12 })
const SIGN = fc.constantFrom('a', 'b', 'c')

/** The changes that people and programs make between two builds. */
const CHANGE: fc.Arbitrary<(site: TestSite) => void> = fc.oneof(
  fc.tuple(SOME, SIGN, SIGN).map(
    ([n, tag, body]) =>
      (site: TestSite) =>
        site.write(`content/posts/p${n}.md`, post(n, tag, body)),
  ),
  SOME.map((n) => (site: TestSite) => rmSync(site.path(`content/posts/p${n}.md`), { force: true })),
  fc.tuple(SOME, fc.constantFrom('slug: other\n', 'draft: true\n', 'excerpt: Short\n', 'aliases: [/old]\n')).map(
    ([n, more]) =>
      (site: TestSite) =>
        site.write(`content/posts/p${n}.md`, post(n, 'a', 'A text.', more)),
  ),
  SIGN.map((name) => (site: TestSite) => site.write('content/authors/ada.yaml', `title: Ada ${name}\n`)),
  SIGN.map((name) => (site: TestSite) => site.write('content/taxonomy/tags/a.yaml', `name: ${name}\nparent: b\n`)),
  SIGN.map((label) => (site: TestSite) => site.write('content/menus/main.yaml', `items: [{ label: ${label}, url: /x }]\n`)),
  SIGN.map((text) => (site: TestSite) => site.write('content/index.md', `---\ntitle: ${text}\n---\n[To](posts/p2.md)\n`)),
  SIGN.map(
    (text) => (site: TestSite) => site.write('templates/site/page.liquid', `{{ page.title }} ${text} {{ record.html | raw }}\n`),
  ),
  fc.tuple(SIGN, fc.constantFrom('', 'draft: true\n', 'unlisted: true\n', 'weight: 3\n')).map(
    ([title, more]) =>
      (site: TestSite) =>
        site.write('content/vault/deep/_index.md', `---\ntitle: ${title}\n${more}---\nText ${title}.\n`),
  ),
  fc.tuple(SOME, SIGN).map(
    ([weight, name]) =>
      (site: TestSite) =>
        site.write(`content/vault/deep/${name}.md`, `---\ntitle: V${name}\nweight: ${weight}\n---\n[[a]] [[b]]\n`),
  ),
  SOME.map((n) => (site: TestSite) => site.write('data/x.yaml', `y: ${n}\n`)),
  SOME.map((n) => (site: TestSite) => site.write('content/menus/foot.yaml', `items: [{ record: { type: posts, id: p${n} } }]\n`)),
  SOME.map((n) => (site: TestSite) => site.write('content/wide.md', `---\ntitle: Wide\n${n % 2 ? 'template: wide\n' : ''}---\n`)),
  SOME.map((n) => (site: TestSite) => damage(site, n)),
)

/** Something else writes into the folder of a build, or takes from it. */
function damage(site: TestSite, n: number): void {
  const files = [...filesOf(site.path('public')).keys()].filter((name) => name.endsWith('.html'))
  const file = files[n % Math.max(1, files.length)]
  if (file === undefined) return
  if (n % 2 === 0) rmSync(site.path(`public/${file}`))
  else writeFileSync(site.path(`public/${file}`), readFileSync(site.path(`public/${file}`), 'utf8').replace('e', 'E'))
}

t.test('a build after any changes leaves what a build of everything leaves', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(CHANGE, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (steps, reads) => {
        const site = makeSite(reads ? { ...FILES, ...READING } : FILES)
        try {
          await build(site, 'public', true)
          for (const step of steps) {
            for (const change of step) change(site)
            const again = await build(site, 'public', true)
            rmSync(site.path('fresh'), { recursive: true, force: true })
            const fresh = await build(site, 'fresh', false)
            t.same(filesOf(site.path('public')), filesOf(site.path('fresh')))
            t.same(counted(again), counted(fresh))
          }
        } finally {
          site.remove()
        }
      },
    ),
    { numRuns: runsOf(5) },
  )
})

function counted({ pages, redirects, problems }: Awaited<ReturnType<typeof build>>) {
  return { pages, redirects, problems: problems.map(({ message }) => message) }
}

async function built(t: Test): Promise<TestSite> {
  const site = makeSite(FILES)
  t.teardown(() => site.remove())
  await build(site, 'public', true)
  return site
}

/**
 * Changes a page that was built, and what is remembered of it, as if it had been made so: a page that is made again gets its text
 * back.
 */
function mark(site: TestSite, file: string): () => boolean {
  const path = site.path(`public/${file}`)
  const before = stampOf(path)
  writeFileSync(path, 'marked')
  const [name = ''] = readdirSync(site.path('.cms/cache')).filter((one) => one.startsWith('build-'))
  const memory = site.path(`.cms/cache/${name}`)
  writeFileSync(memory, readFileSync(memory, 'utf8').replace(before, stampOf(path)))
  return () => readFileSync(path, 'utf8') !== 'marked'
}

function stampOf(path: string): string {
  const { size, mtimeMs, ino } = statSync(path)
  return `${size}:${mtimeMs}:${ino}`
}

t.test('only what a change bears on is made again', async (t) => {
  const site = await built(t)
  const post = mark(site, 'posts/p1/index.html')
  const other = mark(site, 'posts/p4/index.html')
  const list = mark(site, 'posts/index.html')
  t.match(await build(site, 'public', true), { written: 0, removed: 0 })
  t.notOk(post() || other() || list(), 'nothing where nothing changed')
  site.write('content/posts/p4.md', FILES['content/posts/p4.md']?.replace('A text', 'Another text') ?? '')
  await build(site, 'public', true)
  t.ok(other() && list(), 'the record, and a list that shows it')
  t.notOk(post(), 'not the others')
  await build(site, 'public', true, 'another configuration')
  t.ok(post(), 'all under another configuration')
})

t.test('a page is made again with what its template reads of the site, and with nothing else', async (t) => {
  const site = makeSite({ ...FILES, ...READING })
  t.teardown(() => site.remove())
  await build(site, 'public', true)
  const [about, wide] = [mark(site, 'about/index.html'), mark(site, 'wide/index.html')]
  const oldest = mark(site, 'posts/p0/index.html')
  t.match(await build(site, 'public', true), { written: 0, removed: 0 })
  site.write('content/posts/p1.md', post(1, 'c', 'A text.', 'excerpt: Other\n'))
  await build(site, 'public', true)
  t.notOk(about(), 'it shows the newest three')
  t.ok(wide(), 'it reads all')
  t.ok(oldest(), 'it names the next one')
  site.write('content/posts/p5.md', post(5, 'c', 'A text.', 'excerpt: Other\n'))
  await build(site, 'public', true)
  t.ok(about())
})

/** Pages that each read one thing elsewhere, and what changes it. */
const EDGES: Readonly<Record<string, readonly [template: string, file: string, text: string]>> = {
  next: ['{{ record.next.title }}', 'posts/p3', post(3, 'n', 'Text.').replace('Post', 'Another')],
  previous: ['{{ record.previous.title }}', 'posts/p1', post(1, 'p', 'Text.').replace('Post', 'Another')],
  related: ['{{ record.related[0].title }}', 'posts/r1', '---\ntitle: Another\ndate: 2025-01-01\ntags: [r]\n---\n'],
  terms: [
    '{% for x in site.taxonomies.tags.terms %}{{ x.name }}{% endfor %}',
    'posts/t1',
    '---\ntitle: T\ndate: 2025-02-02\ntags: [new]\n---\n',
  ],
  tree: ['{{ site.taxonomies.tags.tree[0].name }}', 'posts/t2', '---\ntitle: T\ndate: 2025-02-03\ntags: [0]\n---\n'],
  first: ['{{ site.records.posts.first.title }}', 'posts/p5', post(5, 'f', 'Text.').replace('Post', 'Another')],
  fields: ['{{ site.records.posts[1].fields.excerpt }}', 'posts/p4', post(4, 'f', 'Text.', 'excerpt: Another\n')],
  excerpt: ['{{ site.records.posts[1].excerpt }}', 'posts/p4', post(4, 'f', 'Text.', 'excerpt: Another\n')],
  size: ['{{ site.records.things.size }}', 'things/new', '---\ntitle: New\n---\n'],
  last: ['{{ site.records.things.last.title }}', 'things/z', '---\ntitle: New\n---\n'],
  link: ["{{ '[x](posts/m1.md)' | markdown }}", 'posts/m1', '---\ntitle: M\nslug: moved\ndate: 2025-01-01\n---\n'],
  way: ['{% for b in page.breadcrumbs %}{{ b.title }}{% endfor %}', 'docs', '---\ntitle: Another\n---\n'],
  section: ['{{ section.title }}', 'book/one/_index', '---\ntitle: Another\n---\n'],
  below: ['{% for r in section.records %}{{ r.title }}{% endfor %}', 'book/two/b', '---\ntitle: New\n---\n'],
  inside: ['{{ section.sections[0].title }}', 'book/three/in/_index', '---\ntitle: Another\n---\n'],
  nodes: [
    '{% for n in site.sections.tree %}{{ n.title }}{{ n.children.size }}{% endfor %}',
    'tree/x/y',
    '---\ntitle: New\n---\n',
  ],
  backlinks: ['{{ record.backlinks[0].title }}', 'posts/k', '---\ntitle: Linking\ndate: 2025-01-01\n---\n[x](/backlinks/)\n'],
  names: ['{{ site.sections.named[0].title }}', 'named/a', '---\ntitle: Another\n---\n'],
}

t.test('each thing that a template reads has its page made again, alone', async (t) => {
  const before: Record<string, string> = {
    ...FILES,
    'content/posts/r1.md': '---\ntitle: R\ndate: 2025-01-01\ntags: [r]\n---\n',
    'content/posts/m1.md': '---\ntitle: M\ndate: 2025-01-01\n---\n',
    'content/posts/t2.md': '---\ntitle: T\ndate: 2025-02-03\ntags: [1]\n---\n',
    'content/things/a.md': '---\ntitle: A\n---\n',
    'content/docs.md': '---\ntitle: Docs\n---\n',
    'content/book/one/_index.md': '---\ntitle: One\n---\n',
    'content/book/two/_index.md': '---\ntitle: Two\n---\n',
    'content/book/three/_index.md': '---\ntitle: Three\n---\n',
    'content/book/three/in/_index.md': '---\ntitle: In\n---\n',
    'content/tree/x.md': '---\ntitle: X\n---\n',
    'content/named/a.md': '---\ntitle: A\n---\n',
  }
  for (const [name, [template]] of Object.entries(EDGES)) {
    before[`templates/site/${name}.liquid`] = template
    before[`content/${name}.md`] = `---\ntitle: ${name}\ntemplate: ${name}\n---\n`
  }
  const places = {
    ...{ next: 'posts/p2', previous: 'posts/p2b', related: 'posts/r2', way: 'docs/deep' },
    ...{ section: 'book/one/a', below: 'book/two/a', inside: 'book/three/a' },
  }
  for (const [name, place] of Object.entries(places)) {
    delete before[`content/${name}.md`]
    const date = name === 'related' ? '2024-01-01' : name === 'previous' ? '2026-01-11T12:00:00Z' : '2026-01-12'
    before[`content/${place}.md`] =
      `---\ntitle: ${name}\ntemplate: ${name}\ndate: ${date}\ntags: [${name === 'related' ? 'r' : name}]\n---\n`
  }
  const site = makeSite(before)
  t.teardown(() => site.remove())
  await build(site, 'public', true)
  for (const [name, [, file, text]] of Object.entries(EDGES)) {
    const page = `${Object.entries(places).find(([one]) => one === name)?.[1] ?? name}/index.html`
    const was = filesOf(site.path('public')).get(page)
    site.write(`content/${file}.md`, text)
    await build(site, 'public', true)
    await build(site, 'fresh', false)
    const [now, fresh] = [filesOf(site.path('public')), filesOf(site.path('fresh'))]
    t.not(now.get(page), was, `${name}: another page`)
    t.same(now, fresh, name)
    site.write(`content/${file}.md`, before[`content/${file}.md`] ?? '---\ntitle: Gone\ndraft: true\n---\n')
    await build(site, 'public', true)
  }
})

t.test('a record is made again when a page it links to gets another address', async (t) => {
  const site = await built(t)
  const linking = mark(site, 'posts/p3/index.html')
  site.write('content/posts/p4.md', FILES['content/posts/p4.md']?.replace('tags:', 'slug: elsewhere\ntags:') ?? '')
  await build(site, 'public', true)
  t.ok(linking())
  t.match(filesOf(site.path('public')).get('posts/p3/index.html'), 'href="/posts/elsewhere"')
})

t.test('a record is made again when a name in double brackets comes to mean another page, and not before', async (t) => {
  const site = await built(t)
  const linking = mark(site, 'vault/deep/v/index.html')
  site.write('content/posts/p5.md', post(5, 'a', 'Another text.'))
  await build(site, 'public', true)
  t.notOk(linking(), 'it names others')
  site.write('content/posts/other.md', '---\ntitle: There\n---\n')
  await build(site, 'public', true)
  t.ok(linking())
  t.match(filesOf(site.path('public')).get('vault/deep/v/index.html'), '<a href="/posts/other">other</a>')
})

t.test('a page is made again when a text that it takes in changes, through others too, and not before', async (t) => {
  const note = (title: string, body: string) => `---\ntitle: ${title}\n---\n${body}\n`
  const site = makeSite({
    ...FILES,
    'content/vault/host.md': note('Host', '![[chain]]'),
    'content/vault/chain.md': note('Chain', '![[end#Part]]'),
    'content/vault/end.md': note('End', '## Part\n\nA text. [p](../posts/p5.md)'),
    'content/vault/linking.md': note('Linking', '[[end]]'),
  })
  t.teardown(() => site.remove())
  await build(site, 'public', true)
  const [host, linking] = [mark(site, 'vault/host/index.html'), mark(site, 'vault/linking/index.html')]
  await build(site, 'public', true)
  t.notOk(host())
  const changes: [string, string, string][] = [
    ['vault/end', note('End', '## Part\n\nOther.'), 'Other.'],
    ['vault/end', note('End', '## Part\n\n[p](../posts/p5.md)'), '/posts/p5'],
    ['posts/p5', post(5, 'a', 'Text.', 'slug: elsewhere\n'), '/posts/elsewhere'],
  ]
  for (const [file, text, shown] of changes) {
    site.write(`content/${file}.md`, text)
    await build(site, 'public', true)
    await build(site, 'fresh', false)
    const [now, fresh] = [filesOf(site.path('public')), filesOf(site.path('fresh'))]
    t.match(now.get('vault/host/index.html'), shown)
    // It was marked.
    for (const files of [now, fresh]) files.delete('vault/linking/index.html')
    t.same(now, fresh)
  }
  t.notOk(linking(), 'a link asks for no text')
})

t.test('a page that fails is not kept with a text that it took in and that is a draft by now', async (t) => {
  const note = (title: string, body: string, more = '') => `---\ntitle: ${title}\n${more}---\n${body}\n`
  const site = makeSite({
    ...FILES,
    'content/vault/host.md': note('Host', '![[end]]'),
    'content/vault/end.md': note('End', 'Secret.'),
  })
  t.teardown(() => site.remove())
  await build(site, 'public', true)
  t.match(filesOf(site.path('public')).get('vault/host/index.html'), 'Secret.')
  site.write('content/vault/end.md', note('End', 'Secret.', 'draft: true\n'))
  site.write('templates/site/record.liquid', '{{ page.title | nothing }}')
  await build(site, 'public', true)
  t.notMatch([...filesOf(site.path('public'))].join(), 'Secret.')
})

t.test('what is written during a build and taken back after it is in no page of the next', async (t) => {
  const folder = makeSite(FILES)
  t.teardown(() => folder.remove())
  await build(folder, 'public', true, 'one', (store) => {
    const get = store.get.bind(store)
    store.get = async (key) => {
      const document = await get(key)
      if (key.id !== 'p3' || !document) return document
      return { ...document, version: 'f'.repeat(40), body: 'For a moment.' }
    }
  })
  t.match([...filesOf(folder.path('public')).values()].join(), 'For a moment.')
  await build(folder, 'public', true)
  t.notMatch([...filesOf(folder.path('public')).values()].join(), 'For a moment.')
})

t.test('where templates look at the clock, all is made again', async (t) => {
  const site = makeSite({ ...FILES, 'templates/site/page.liquid': '{{ "now" | date: "%Y" }}' })
  t.teardown(() => site.remove())
  await build(site, 'public', true)
  t.same(
    readdirSync(site.path('.cms/cache')).filter((name) => name.startsWith('build-')),
    [],
  )
})

t.test('what is remembered may be broken, of another folder, or not be kept', async (t) => {
  const site = await built(t)
  const whole = filesOf(site.path('public'))
  const [name = ''] = readdirSync(site.path('.cms/cache')).filter((one) => one.startsWith('build-'))
  const memory = site.path(`.cms/cache/${name}`)
  const text = readFileSync(memory, 'utf8')
  for (const broken of ['', '{', text.slice(0, text.length / 2), text.replaceAll('[', '{')]) {
    writeFileSync(memory, broken)
    t.match(await build(site, 'public', true), { written: 0, removed: 0 })
    t.same(filesOf(site.path('public')), whole)
  }
  cpSync(site.path('public'), site.path('copy'), { recursive: true })
  await build(site, 'copy', true)
  t.same(filesOf(site.path('copy')), whole)
  rmSync(memory)
  cpSync(site.path('public'), memory, { recursive: true })
  t.match(await build(site, 'public', true), { problems: [], written: 0 }, 'a folder is in its way')
})
