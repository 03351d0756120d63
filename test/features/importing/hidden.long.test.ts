import t, { type Test } from 'tap'
import { keyText } from '#core/key.ts'
import { isLive } from '#core/status.ts'
import type { Source } from '#features/importing/item.ts'
import { exportOf, importInto, PIXEL } from '#support/importing.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

/** Files of an export by path. What is called `secret…` must not be public, what is called `open…` must be. */
type Files = Readonly<Record<string, string | Buffer>>

const page = (front = 'a: 1', body = '') => `---\ntitle: T\n${front}\n---\nText. ${body}\n`
const HUGO = { 'content/posts/open.md': page(), 'content/hid/secret.md': page(), 'content/hid/deep/secret-two.md': page() }
const JEKYLL = { '_config.yml': 'title: T\n', '_posts/2020-01-01-open.md': page() }
const ELEVENTY = { 'eleventy.config.js': 'export default function () {}\n', 'posts/open.md': page() }
const HIDDEN = '[[cascade]]\ndraft = true\n[cascade.target]\npath = "/hid/**"\n'

/** The ids of what is public after an import, media among them. */
async function publicIn({ store, types, clock }: OpenedStore): Promise<string[]> {
  const found: string[] = []
  for (const kind of await store.kinds())
    for (const { key, fields } of (await store.heads(kind, {})).items)
      if (/^(?:media|taxonomy|menus|settings)/.test(kind) || isLive(fields, types.shape(kind).statuses, clock.now()))
        found.push(keyText(key))
  return found.sort()
}

function holds(t: Test, source: Source, cases: Readonly<Record<string, Files>>): Promise<void> {
  return eachStore(t, {}, async (t, opened) => {
    // Each case is a site of its own: what the one before it brought does not count as removed.
    opened.store.history = async () => undefined
    for (const [name, files] of Object.entries(cases)) {
      await importInto(opened, source, exportOf(t, files))
      const shown = await publicIn(opened)
      t.strictSame(
        shown.filter((one) => one.includes('secret')),
        [],
        name,
      )
      const wanted = Object.keys(files).flatMap((path) => /open[\w-]*(?=\.(?:md|png))/.exec(path)?.[0] ?? [])
      for (const one of wanted)
        t.ok(
          shown.some((key) => key.includes(one)),
          `${name}: ${one} is public`,
        )
      for (const kind of await opened.store.kinds()) {
        const { items } = await opened.store.heads(kind, {})
        await opened.store.write(
          items.map(({ key }) => ({ key, remove: true })),
          { name: 'Ada', email: 'ada@example.org' },
        )
      }
    }
  })
}

const cascades = [
  ['_index.md', '---\nCascade:\n  Draft: true\n---\n'],
  ['_index.md', '{"title":"H","cascade":{"draft":true}}\n'],
  ['_index.md', '---\ncascade:\n  _target: { Path: "/hid/**" }\n  draft: true\n---\n'],
  ['_index.md', '---\ncascade: { params: { private: true } }\n---\n'],
  ['_index.md', '---\ncascade:\n  draft: true\ntitle: "broken\n---\n'],
  ['_index.org', '#+title: H\n#+cascade.draft: true\n'],
  ['_index.markdown', '---\ncascade: { expiryDate: 2001-01-01 }\n---\n'],
  ['_index.mdx', '---\ncascade: { draft: true }\n---\n'],
  ['_index.html', '---\ncascade: { publishDate: 2099-01-01 }\n---\n'],
] as const

t.test('a cascade of Hugo hides in each way of writing it, and in one that can’t be read', (t) =>
  holds(
    t,
    'hugo',
    Object.fromEntries(
      cascades.map(([name, text]) => [
        `${name}: ${text}`,
        { ...HUGO, 'hugo.toml': '', [`content/hid/${name}`]: text, 'content/hid/secret.png': PIXEL },
      ]),
    ),
  ),
)

const configured: Readonly<Record<string, Files>> = {
  'a cascade in other letters': {
    'hugo.toml': HIDDEN.replace('cascade', 'Cascade').replace('[cascade.target]', '[Cascade.Target]').replace('path', 'Path'),
  },
  'a cascade of its own file': { 'config/_default/hugo.toml': '', 'config/_default/cascade.toml': HIDDEN },
  'a list of its own file': {
    'config/_default/hugo.toml': '',
    'config/_default/cascade.yaml': '- { draft: true, target: { path: /hid/** } }\n',
  },
  'a cascade of production': {
    'hugo.toml': '[[cascade]]\n[cascade.params]\ncolor = "red"\n',
    'config/production/hugo.toml': HIDDEN,
  },
  'files that production ignores': {
    'hugo.toml': 'ignoreFiles = ["x.md$"]\n',
    'config/production/config.yaml': 'ignoreFiles: [/hid/]\n',
  },
  'a cascade of a language': { 'hugo.yaml': 'languages:\n  en:\n    Cascade: { draft: true, target: { path: /hid/** } }\n' },
  'a target in capitals': { 'hugo.toml': HIDDEN.replace('/hid/', '/HID/') },
  'cascades of two files': {
    'hugo.toml': HIDDEN,
    'config/production/hugo.toml': HIDDEN.replace('/hid/', '/gone/'),
    'content/gone/secret-g.md': page(),
  },
  'a cascade in JSON of some pages': {
    'hugo.toml': HIDDEN,
    'content/part/_index.md': '{"title":"P","cascade":{"draft":true,"target":{"path":"/part/x/**"}}}\n',
    'content/part/open-b.md': page(),
    'content/part/x/secret-x.md': page(),
  },
  'a long pattern': { 'hugo.toml': `ignoreFiles = ["(?:${'x|'.repeat(300)}hid)/"]\n` },
  'a mark before JSON': { 'hugo.json': '\ufeff{"ignoreFiles":["/hid/"]}' },
  'dates by names of the configuration': {
    'hugo.toml': '[frontMatter]\ndate = [":filename", ":default"]\npublishDate = ["shows", ":default"]\nexpiryDate = ["ends"]\n',
    'content/hid/secret.md': page('Shows: 2099-01-01'),
    'content/hid/deep/secret-two.md': page('ends: 2001-01-01'),
    'content/hid/2099-01-01-secret-three.md': page(),
    'content/hid/2099-01-01-secret-four/index.md': page(),
    'content/hid/2020-01-01-open-five.md': page('shows: 2020-01-01'),
  },
  'files that a mount has not': {
    'hugo.toml': '[[module.mounts]]\nsource = "content"\ntarget = "content"\nfiles = ["! hid/**"]\n',
  },
  'files that a mount has alone': {
    'hugo.toml': '[module]\n[[module.Mounts]]\nSource = "content"\ntarget = "content"\nIncludeFiles = ["posts/**"]\n',
  },
  'files that a mount excludes': {
    'hugo.toml': '[[module.mounts]]\nsource = "content"\ntarget = "content"\nExcludeFiles = ["hid/**"]\n',
  },
}

t.test('a configuration of Hugo hides in each of its files, and in any letters', (t) =>
  holds(t, 'hugo', Object.fromEntries(Object.entries(configured).map(([name, files]) => [name, { ...HUGO, ...files }]))),
)

t.test('a page of Hugo hides by its language, by what themes read, and by shortcodes', (t) =>
  holds(t, 'hugo', {
    'a language that production has not': {
      'config/_default/hugo.toml': 'defaultContentLanguage = "en"\n',
      'config/production/hugo.toml': 'disableLanguages = ["de"]\n',
      'content/posts/open.md': page(),
      'content/posts/secret.de.md': page(),
    },
    words: {
      'hugo.toml': '',
      'content/posts/secret-a.md': page('params: { private: true }'),
      'content/posts/secret-b.md': '+++\n[params]\npassword = "x"\n+++\n',
      'content/posts/secret-c.md': page('a: 1', '{{% hugo-encryptor "x" %}}Private.{{% /hugo-encryptor %}}'),
      'content/posts/secret-d.md': page('a: 1', '{{<members-only>}}\nPrivate.\n{{</members-only>}}'),
      'content/posts/open-d.md': page('params: { color: red }', '{{< details >}}Public.{{< /details >}} {{</* /private */>}}'),
      'content/posts/j/index.md': '{"title":"J"}\n![](open-p.png)\n',
      'content/posts/j/open-p.png': PIXEL,
      'content/posts/k/index.md': '{"title":"K","draft":true}\n',
      'content/posts/k/secret.png': PIXEL,
      'content/tags/secret/_index.md': page('draft: true'),
      'content/tags/open-t/_index.md': page(),
    },
  }),
)

t.test('a configuration that can’t be read hides nothing, so nothing is imported', async (t) => {
  const broken: readonly (readonly [Source, Files])[] = [
    ['hugo', { ...HUGO, 'hugo.toml': 'ignoreFiles = ["hid/"]\nx = \n' }],
    ['hugo', { ...HUGO, 'hugo.toml': '', 'config/production/hugo.toml': 'x = \n' }],
    ['jekyll', { ...JEKYLL, '_config.yml': 'title: A\nexclude: [hid]\ntitle: B\n' }],
  ]
  await eachStore(t, {}, async (t, opened) => {
    for (const [source, files] of broken)
      await t.rejects(importInto(opened, source, exportOf(t, files)), /What it hides would be public/)
    t.strictSame(await opened.store.kinds(), [])
  })
})

t.test('conditions of templates hide what they may have hidden', (t) =>
  holds(t, 'jekyll', {
    conditions: {
      ...JEKYLL,
      'secret-a.md': page('a: 1', '{% if false %}Private.{% endif %}'),
      'secret-b.md': page('a: 1', '{%- unless true -%}Private.{% endunless %}'),
      'secret-c.md': page('a: 1', '{% if jekyll.environment == "development" %}\nPrivate.\n{% endif %}'),
      'secret-d.md': page('a: 1', '{% comment %}a{% comment %}{% endcomment %}{% if site.show_drafts %}Private.{% endif %}'),
      'open-a.md': page('a: 1', '{% if page.title %}Public.{% endif %} {% raw %}{% if user %}{% endif %}{% endraw %}'),
    },
  }),
)

t.test('data of Eleventy hides in each way of giving it', (t) =>
  holds(t, 'eleventy', {
    'data of folders': {
      ...ELEVENTY,
      'a/a.json': '\ufeff{"draft":true}',
      'a/secret-a.md': page(),
      'b/b.json': '{"draft":true,}',
      'b/secret-b.md': page(),
      'c/c.yaml': 'draft: true\n',
      'c/secret-c.md': page(),
      'd/d.toml': 'draft = true\n',
      'd/secret-d.md': page(),
      'e/e.11tydata.js': 'const draft = true\nexport default { draft }\n',
      'e/secret-e.md': page(),
      'f/f.11tydata.js': 'export default { "published" : !1 }\n',
      'f/secret-f.md': page(),
      'g/g.11tydata.js': 'export default { draft: false, layout: "x" }\n',
      'g/open-g.md': page(),
      'h/h.yml': 'draft: true\n',
      'h/deep/secret-h.md': page(),
    },
    'data of folders by other names': {
      ...ELEVENTY,
      'a/a.11tydata.yaml': 'draft: true\n',
      'a/secret-a.md': page(),
      'b/b.11tydata.jsonc': '{ "draft": true }\n',
      'b/secret-b.md': page(),
      'v1.2.json': '{"draft":true}',
      'open-v1.md': page(),
    },
    'data of folders by names of the configuration': {
      'eleventy.config.js': 'export default (c) => { c.setDataFileSuffixes([".facts", ""]); c.setDataFileBaseName("every") }\n',
      'posts/open.md': page(),
      'a/a.facts.json': '{"draft":true}',
      'a/secret-a.md': page(),
      'b/every.facts.json': '{"draft":true}',
      'b/deep/secret-b.md': page(),
      'secret-c.md': page(),
      'secret-c.facts.js': 'export default { permalink: false }\n',
    },
    'data of the folder of texts': {
      'eleventy.config.js': 'const INPUT = "src"\nexport default { dir: { input: INPUT } }\n',
      'src/src.json': '{"private":true}',
      'src/secret-a.md': page(),
      'secret-out.md': page(),
    },
    'what a configuration leaves out': {
      ...ELEVENTY,
      'eleventy.config.js':
        'export default (c) => { c.addPreprocessor("x", "*", (data) => { if (data.unfinished || data?.["draft"]) return false }) }\n',
      'secret-a.md': page('unfinished: true'),
      'open-a.md': page('draft: false'),
    },
    'what a configuration leaves out by data taken apart, or of another name': {
      ...ELEVENTY,
      'eleventy.config.js': [
        'export default (c) => {',
        '  c.addPreprocessor("x", "*", ({ unfinished, mine: isMine }, content) => { if (unfinished || isMine) return false })',
        '  c.addPreprocessor("y", "md", async function (d, content) { const { resting } = d; if (d.asleep || resting) return false })',
        '  c.addPreprocessor("z", "md", facts => facts?.raw ? false : undefined)',
        '}',
      ].join('\n'),
      'secret-a.md': page('unfinished: true'),
      'secret-b.md': page('mine: true'),
      'secret-c.md': page('asleep: true'),
      'secret-d.md': page('resting: true'),
      'secret-e.md': page('raw: true'),
      'open-a.md': page('content: true'),
    },
    'a permalink for all texts': {
      ...ELEVENTY,
      'eleventy.config.js':
        'export default (c) => { c.addGlobalData("permalink", () => (data) => data.asleep ? false : undefined) }\n',
      '_data/permalink.js': 'export default () => (data) => (data.resting ? false : undefined)\n',
      'secret-a.md': page('asleep: true'),
      'secret-b.md': page('resting: true'),
      'open-a.md': page(),
    },
    'data for all texts': {
      ...ELEVENTY,
      'eleventy.config.js': 'export default { dir: { data: "facts" } }\n',
      'facts/eleventyComputed.js': 'export default { permalink: (data) => data.sleeping ? false : undefined }\n',
      'secret-a.md': page('sleeping: true'),
      'open-a.md': page(),
    },
  }),
)

t.test('comments of MDX are left out', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const body = 'One {/* private */} two { /* private\nas well */ } three.\n\n`{/* code */}`\n'
    await importInto(opened, 'markdown', exportOf(t, { 'a.mdx': body, 'b.md': body }))
    await importInto(opened, 'markdown', exportOf(t, { 'docusaurus.config.ts': '', 'docs/c.md': body }))
    const texts = async (kind: string) => (await opened.store.heads(kind, {})).items.map(({ key }) => opened.store.get(key))
    const bodies = (await Promise.all([...(await texts('pages')), ...(await texts('docs'))])).map((one) => one?.body)
    const without = 'One  two  three.\n\n`{/* code */}`\n'
    t.strictSame(bodies, [without, body, without])
  }),
)
