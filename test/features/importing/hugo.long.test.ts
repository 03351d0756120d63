import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { keyOf, MEDIA } from '#core/key.ts'
import { withoutShortcodes } from '#features/importing/hugo/shortcodes.ts'
import { withCallsAddressed } from '#features/importing/texts.ts'
import { NoSpace } from '#lib/errors.ts'
import { exportOf, importInto, PIXEL } from '#support/importing.ts'
import { eachStore } from '#support/stores.ts'

const SITE = {
  'hugo.toml': [
    'title = "Old"',
    'baseURL = "https://old.example.org/"',
    'ignoreFiles = ["secret-.*\\\\.md$"]',
    '[permalinks]',
    'posts = "/:year/:month/:slug/"',
    '[params]',
    'description = "About all"',
    '[[menus.main]]',
    'name = "Home"',
    'url = "/"',
    'weight = 1',
    '[[menus.main]]',
    'name = "Trip"',
    'pageRef = "/posts/trip"',
    'weight = 2',
  ].join('\n'),
  'content/_index.md': '---\ntitle: Home\n---\nWelcome.\n',
  'content/about.md': '---\ntitle: About # of us\nmenu: main\n---\nWho we are: [trip]({{< ref "posts/trip/index.md" >}}).\n',
  'content/posts/_index.md': '---\ntitle: Blog\n---\n',
  'content/posts/hello.md':
    '+++\ntitle = "Hello"\ndate = 2020-03-04T05:06:07Z\nslug = "hi"\ntags = ["a b"]\ncover = "/images/sea.png"\n+++\n![Sea](/images/sea.png "The sea")\n\n{{< youtube x >}} {{< tweet 1 >}}\n\n{{< highlight go >}}\na := 1\n{{< /highlight >}}\n\n`{{< tweet 2 >}}`\n',
  'content/posts/trip/index.md': '---\ntitle: Trip\ndate: 2021-01-02\n---\n![](cat.png) <img src="cat.png">\n',
  'content/posts/trip/part.md': '---\ntitle: Part\n---\nA part.\n',
  'content/posts/trip/cat.png': PIXEL,
  'content/posts/draft.md': '---\ntitle: Draft\ndate: 2020-01-01\ndraft: true\n---\n',
  'content/posts/later.md': '---\ntitle: Later\ndate: 2099-01-01\n---\n',
  'content/posts/locked.md': '---\ntitle: Locked\ndate: 2020-01-01\npassword: sesame\n---\n',
  'content/posts/secret-plan.md': '---\ntitle: Secret\n---\n',
  'content/hidden/_index.md': '---\ntitle: Hidden\ncascade:\n  draft: true\n---\n',
  'content/hidden/x.md': '---\ntitle: X\n---\n',
  'content/media/own.md': '---\ntitle: Own\n---\n',
  'content/tags/a-b/_index.md': '---\ntitle: A & B\n---\nOf both.\n',
  'content/posts/plan/index.md': '---\ntitle: Plan\ndraft: true\n---\n![](plan.png)\n',
  'content/posts/plan/deep/plan.png': PIXEL,
  'content/posts/plan/plan.png': PIXEL,
  'content/hidden/x.png': PIXEL,
  'content/posts/json.md': '{\n "title": "J",\n "draft": true, "x": "}\\\\\\""\n}\nText.\n',
  'content/posts/broken.md': '---\ntitle: "x\n---\n',
  'static/images/sea.png': PIXEL,
  'static/robots.txt': 'User-agent: *\n',
}

t.test('a page is hidden in its language, with the files beside it', async (t) => {
  const folder = exportOf(t, {
    'hugo.toml': 'defaultContentLanguage = "en"\n',
    'content/posts/plan/index.en.md': '---\ntitle: Plan\ndraft: true\n---\n',
    'content/posts/plan/index.de.md': '---\ntitle: Plan\ndraft: true\n---\n',
    'content/posts/plan/plan.png': PIXEL,
    'content/posts/half/index.en.md': '---\ntitle: Half\n---\n',
    'content/posts/half/index.de.md': '---\ntitle: Halb\ndraft: true\n---\n',
    'content/posts/half/half.png': PIXEL,
    'content/hidden/_index.de.md': '---\ntitle: H\ncascade:\n  draft: true\n---\n',
    'content/hidden/x.de.md': '---\ntitle: X\n---\n',
    'content/hidden/x.png': PIXEL,
    'content/posts/kept/index.md': '---\ntitle: Kept\nbuild:\n  publishResources: false\n---\n',
    'content/posts/kept/kept.png': PIXEL,
  })
  await eachStore(t, { history: true }, async (t, opened) => {
    const { store } = opened
    await importInto(opened, 'hugo', folder)
    t.equal(await store.head(keyOf('media', 'posts~plan~plan.png')), undefined, 'no language of its page was public')
    t.ok(await store.head(keyOf('media', 'posts~half~half.png')), 'one language of its page was public')
    t.equal(await store.head(keyOf('media', 'hidden~x.png')), undefined, 'a cascade hides it')
    t.equal(await store.head(keyOf('media', 'posts~kept~kept.png')), undefined, 'its page keeps it back')
    const hidden = (await store.heads('hidden', {})).items.filter(({ key }) => key.id.startsWith('x'))
    t.strictSame(
      hidden.map(({ fields }) => fields.status),
      ['draft'],
    )
  })
})

t.test('what a language, a mount, a cascade or a section hides stays hidden', async (t) => {
  const page = (title: string) => `---\ntitle: ${title}\n---\n`
  const folder = exportOf(t, {
    'hugo.toml': [
      'disableLanguages = ["it"]',
      '[languages.en]',
      '[languages.fr]',
      'contentDir = "content/fr"',
      'disabled = true',
      '[languages.it]',
      '[[cascade]]',
      'draft = true',
      '[cascade.target]',
      'path = "{/posts/secret-plan,/news/**,/docs/deep/*}"',
      '[[cascade]]',
      'draft = true',
      '[cascade.target]',
      'path = "/posts/bundle"',
    ].join('\n'),
    'content/fr/posts/a.md': page('A'),
    'content/fr/posts/a.png': PIXEL,
    'content/posts/b.it.md': page('B'),
    'content/posts/b.it.png': PIXEL,
    'content/posts/b.md': page('B'),
    'content/posts/Secret Plan.md': page('S'),
    'content/posts/secret-plan.de.md': page('S'),
    'content/posts/bundle/index.md': page('Bundle'),
    'content/posts/bundle/cat.png': PIXEL,
    'content/news/x/y.md': page('Y'),
    'content/docs/deep/z.md': page('Z'),
    'content/docs/deep/er/open.md': page('Open'),
    'content/quiet/_index.md': '---\ntitle: Quiet\ndraft: true\n---\n',
    'content/quiet/cat.png': PIXEL,
  })
  const mounted = exportOf(t, {
    'hugo.toml': '[[module.mounts]]\nsource = "texts"\ntarget = "content"\nexcludeFiles = ["mine/**", "own.md"]\n',
    'texts/mine/a.md': page('A'),
    'texts/own.md': page('O'),
    'texts/open.md': page('Open'),
  })
  await eachStore(t, {}, async (t, opened) => {
    const { store } = opened
    await importInto(opened, 'hugo', folder)
    const statuses: string[] = []
    for (const kind of await store.kinds())
      for (const { key, fields } of (await store.heads(kind, {})).items) statuses.push(`${kind}/${key.id} ${fields.status ?? ''}`)
    t.strictSame(statuses.sort(), [
      'docs/deep~er~open published',
      'docs/deep~z draft',
      'news/x~y draft',
      'posts/Secret Plan draft',
      'posts/b published',
      'posts/bundle draft',
      'posts/secret-plan.de draft',
      'quiet/index draft',
    ])
    await importInto(opened, 'hugo', mounted)
    const pages = (await store.heads('pages', {})).items.map(({ key }) => key.id)
    t.strictSame(pages, ['open'])
    t.notOk((await store.kinds()).includes('mine'))
  })
})

t.test('texts beside a page in any language or format are parts of it', async (t) => {
  const names = ['index.en.md', 'index.html', 'index.markdown', 'index.mdown', 'index.org', 'Index.md']
  const pages = names.map((name, n) => [`content/posts/${n}/${name}`, '---\ntitle: Page\n---\n'])
  const parts = names.flatMap((_, n) => ['a', 'deep/a', 'z'].map((name) => [`content/posts/${n}/${name}.md`, 'A part.\n']))
  const folder = exportOf(t, {
    ...Object.fromEntries([...pages, ...parts]),
    'hugo.toml': 'ignoreFiles = ["index\\\\.fr\\\\.md$"]\n',
    'content/posts/section/_index.en.md': '---\ntitle: Section\n---\n',
    'content/posts/section/index.fr.md': '---\ntitle: Ignored\n---\n',
    'content/posts/section/a.md': 'A page.\n',
    'content/posts/plan/index.org': '#+title: Plan\n#+draft: true\n',
    'content/posts/plan/plan.png': PIXEL,
  })
  await eachStore(t, {}, async (t, opened) => {
    const { store } = opened
    await importInto(opened, 'hugo', folder)
    const { items } = await store.heads('posts', {})
    const shown = items.filter(({ fields }) => fields.status !== 'draft').map(({ key }) => key.id)
    t.strictSame(shown.sort(), ['0~index.en', '2', '5~Index', 'section~a'])
    t.equal(await store.head(keyOf('media', 'posts~plan~plan.png')), undefined, 'nobody knows if its page was public')
  })
})

t.test('folders of a source that are links out of it are not read', async (t) => {
  const outside = exportOf(t, { 'posts/private.md': 'Private.\n', 'private.png': PIXEL, 'private.yaml': 'a: 1\n' })
  const folder = exportOf(t, { 'hugo.toml': '', 'content/posts/a.md': 'A.\n' })
  for (const name of ['static', 'assets', 'data', 'content/linked']) symlinkSync(outside, join(folder, name))
  const linked = exportOf(t, { 'hugo.toml': '' })
  symlinkSync(outside, join(linked, 'content'))
  const elsewhere = exportOf(t, { 'eleventy.config.js': 'export default { dir: { input: "src" } }', 'a.md': 'A.\n' })
  symlinkSync(outside, join(elsewhere, 'src'))
  const collected = exportOf(t, { '_config.yml': 'source: src\n', '_posts/2020-01-01-b.md': '---\ntitle: B\n---\n' })
  symlinkSync(outside, join(collected, 'src'))
  await eachStore(t, {}, async (t, opened) => {
    const root = exportOf(t, {})
    await importInto(opened, 'hugo', folder, { root })
    await t.rejects(importInto(opened, 'hugo', linked), /no content/)
    await importInto(opened, 'eleventy', elsewhere)
    await importInto(opened, 'jekyll', collected)
    t.strictSame((await opened.store.kinds()).sort(), ['pages', 'posts'])
    t.strictSame((await opened.store.heads('posts', {})).items.map(({ key }) => key.id).sort(), ['a', 'b'])
    t.notOk(existsSync(join(root, 'data/private.yaml')))
  })
})

t.test('a site of Hugo comes whole, and nothing of it becomes public that was not', async (t) => {
  const folder = exportOf(t, SITE)
  await eachStore(t, { history: true }, async (t, opened) => {
    const { store } = opened
    const report = await importInto(opened, 'hugo', folder)
    t.match(report.problems, [{ file: 'content/posts/broken.md', line: 3 }])
    t.equal(report.problems.length, 1)
    const hello = await store.get(keyOf('posts', 'hello'))
    t.match(hello?.fields, {
      slug: 'hi',
      status: 'published',
      tags: ['a-b'],
      cover: '/media/images/sea.png',
      aliases: ['/2020/03/hi'],
    })
    t.match(
      hello?.body,
      '![Sea](/media/images/sea.png "The sea")\n\n{{< youtube x >}} {{< tweet 1 >}}\n\n```go\na := 1\n```\n\n`{{< tweet 2 >}}`',
    )
    t.match(
      hello?.source?.toString(),
      /^\+\+\+\ntitle = "Hello"\ndate = 2020-03-04T05:06:07Z\n/,
      'front matter stays as it was written',
    )
    const trip = await store.get(keyOf('posts', 'trip'))
    t.equal(trip?.body, '![](/media/posts/trip/cat.png) <img src="/media/posts/trip/cat.png">\n')
    const about = await store.get(keyOf('pages', 'about'))
    t.match(about?.source?.toString(), 'title: About # of us\n')
    t.match(about?.body, '[trip](/posts/trip/index.md)')
    for (const id of ['posts~plan~plan.png', 'posts~plan~deep~plan.png', 'hidden~x.png'])
      t.equal(await store.head(keyOf('media', id)), undefined, `${id} lies beside what is hidden`)
    for (const [type, id] of [
      ['posts', 'json'],
      ['posts', 'plan'],
      ['posts', 'draft'],
      ['posts', 'locked'],
      ['posts', 'trip~part'],
      ['hidden', 'x'],
      ['hidden', 'index'],
    ] as const)
      t.equal((await store.head(keyOf(type, id)))?.fields.status, 'draft', `${type}/${id} is a draft`)
    t.match(await store.get(keyOf('posts', 'json')), { body: 'Text.\n', fields: { title: 'J', x: '}\\"' } })
    t.match((await store.head(keyOf('posts', 'later')))?.fields, {
      status: 'published',
      published_at: '2099-01-01T00:00:00.000Z',
    })
    t.equal(await store.head(keyOf('posts', 'secret-plan')), undefined, 'what Hugo ignores is left out')
    t.match((await store.head(keyOf('posts', 'index')))?.isSection, true)
    t.match((await store.head(keyOf('pages', 'media~own')))?.fields.title, 'Own', 'a name of Quire’s own is no type')
    t.match((await store.head(keyOf('taxonomy/tags', 'a-b')))?.fields, { name: 'A & B', description: 'Of both.' })
    t.match((await store.head(keyOf('settings', 'site')))?.fields, { description: 'About all' })
    t.match((await store.head(keyOf('menus', 'main')))?.fields.items, [
      { label: 'Home', url: '/' },
      { label: 'Trip', record: { type: 'posts', id: 'trip' } },
      { label: 'About', record: { type: 'pages', id: 'about' } },
    ])
    t.match((await store.head(keyOf('media', 'images~sea.png')))?.fields, { mime_type: 'image/png', width: 1 })
    const reasons = report.left_out.map(({ reason }) => reason).join('\n')
    for (const word of [/cascade hides them \(draft\)/, /\(password\)/, /page bundle/, /a day to come/]) t.match(reasons, word)
    t.ok(report.left_out.some(({ names }) => names.length === 1 && names[0] === 'tweet'))
    t.ok(report.notes.some((note) => note.includes('permalink: "/{year}/{month}/{slug}"')))
  })
})

t.test('files of static/ and data are copied over nothing', async (t) => {
  const folder = exportOf(t, {
    'content/a.md': 'A.\n',
    'static/robots.txt': 'User-agent: *\n',
    'static/x/y.css': 'p {}\n',
    'static/_redirects': '/a /b\n',
    'static/elsewhere/z.css': 'z',
    'data/people.yaml': 'a: 1\n',
    'data/run.js': 'x',
    'assets/main.scss': 'p {}',
  })
  await eachStore(t, {}, async (t, opened) => {
    const root = exportOf(t, { 'static/x/y.css': 'mine {}\n' })
    const outside = exportOf(t, {})
    symlinkSync(outside, join(root, 'static/elsewhere'))
    await importInto(opened, 'hugo', folder, { root, dryRun: true })
    t.notOk(existsSync(join(root, 'data')), 'a dry run copies nothing')
    const report = await importInto(opened, 'hugo', folder, { root })
    t.match(report.documents, { static: { created: 2, kept: 1 }, data: { created: 1 } })
    t.match(report.kept, ['static/x/y.css'])
    t.match(report.problems, [{ file: 'static/elsewhere/z.css' }])
    t.strictSame(readdirSync(outside), [], 'nothing is written by way of a link')
    t.equal(readFileSync(join(root, 'static/robots.txt'), 'utf8'), 'User-agent: *\n')
    t.equal(readFileSync(join(root, 'static/x/y.css'), 'utf8'), 'mine {}\n')
    t.strictSame(report.left_out.flatMap(({ first }) => first).sort(), ['assets/main.scss', 'data/run.js'])
    t.match((await importInto(opened, 'hugo', folder, { root })).documents, { static: { same: 2, kept: 1 }, data: { same: 1 } })
    t.match(await importInto(opened, 'hugo', folder), { documents: {} }, 'where a site has none on the disk, they are named')
  })
})

t.test('an import that is ended in the middle goes on where it was', async (t) => {
  const folder = exportOf(t, Object.fromEntries([...Array(700).keys()].map((n) => [`content/posts/p${n}.md`, `Text ${n}.\n`])))
  await eachStore(t, {}, async (t, opened) => {
    const ending = new AbortController()
    const onProgress = (done: number) => {
      if (done >= 500) ending.abort(new Error('ended'))
    }
    await t.rejects(importInto(opened, 'hugo', folder, { signal: ending.signal, onProgress }), /ended/)
    t.equal((await opened.store.heads('posts', { limit: 0 })).total, 500)
    t.match(await importInto(opened, 'hugo', folder), { records: { posts: { created: 200, same: 500 } } })
  })
})

t.test('a disk that is full in the middle says what was imported before', async (t) => {
  const folder = exportOf(t, Object.fromEntries([...Array(700).keys()].map((n) => [`content/posts/p${n}.md`, `Text ${n}.\n`])))
  await eachStore(t, {}, async (t, opened) => {
    const { store } = opened
    const write = store.write.bind(store)
    let writes = 0
    store.write = async (...all) => {
      if (++writes > 1) throw new NoSpace('The disk is full: nothing was changed.')
      return write(...all)
    }
    await t.rejects(importInto(opened, 'hugo', folder), {
      message: /500 documents were imported before/,
      hint: /run the import again/,
    })
    store.write = write
    t.match(await importInto(opened, 'hugo', folder), { records: { posts: { created: 200, same: 500 } } })
  })
})

t.test('a second run changes nothing, what came anew is taken, and what was changed here is kept', async (t) => {
  const before = exportOf(t, { 'content/posts/a.md': 'A.\n', 'content/posts/b.md': 'B.\n', 'content/posts/cat.png': PIXEL })
  const after = exportOf(t, { 'content/posts/a.md': 'A2.\n', 'content/posts/b.md': 'B2.\n', 'content/posts/cat.png': PIXEL })
  await eachStore(t, { history: true }, async (t, opened) => {
    const { store } = opened
    const cursor = async () => (await store.changes(undefined, 1000)).next
    const dry = await importInto(opened, 'hugo', before, { dryRun: true })
    t.match(dry, { dry_run: true, records: { posts: { created: 2 } }, media: { created: 1 } })
    t.equal(await store.head(keyOf('posts', 'a')), undefined, 'a dry run writes nothing')
    await importInto(opened, 'hugo', before)
    const written = await cursor()
    t.match(await importInto(opened, 'hugo', before), {
      records: { posts: { created: 0, same: 2 } },
      media: { created: 0, same: 1 },
    })
    t.equal(await cursor(), written, 'no byte is written again')
    await store.write([{ key: keyOf('posts', 'b'), put: { body: 'Mine.\n' } }], { name: 'Bob', email: 'bob@example.org' })
    const report = await importInto(opened, 'hugo', after)
    t.match(report, { records: { posts: { updated: 1, kept: 1 } }, kept: ['content/posts/b.md'] })
    t.equal((await store.get(keyOf('posts', 'a')))?.body, 'A2.\n')
    t.equal((await store.get(keyOf('posts', 'b')))?.body, 'Mine.\n')
    t.match((await store.history(keyOf('posts', 'a'), {}))?.items[0], {
      message: 'Import from hugo: posts/a',
      by: { name: 'Ada' },
    })
  })
})

t.test('without a history, what is another by now is kept', async (t) => {
  const before = exportOf(t, { 'content/posts/a.md': 'A.\n' })
  const after = exportOf(t, { 'content/posts/a.md': 'A2.\n' })
  await eachStore(t, { history: false }, async (t, opened) => {
    await importInto(opened, 'hugo', before)
    t.match(await importInto(opened, 'hugo', after), { records: { posts: { kept: 1 } } })
    t.equal((await opened.store.get(keyOf('posts', 'a')))?.body, 'A.\n')
  })
})

t.test('one that can’t be written keeps no other away, and an import that is cut short goes on', async (t) => {
  const many = Object.fromEntries([...Array(30).keys()].map((n) => [`content/posts/p${n}.md`, `Text ${n}.\n`]))
  const folder = exportOf(t, {
    ...many,
    'content/posts/P1.md': 'Only the case differs.\n',
    'content/posts/huge.md': 'x'.repeat(3_000_000),
  })
  await eachStore(t, {}, async (t, opened) => {
    const aborted = AbortSignal.abort(new Error('cut short'))
    await t.rejects(importInto(opened, 'hugo', folder, { signal: aborted }), /cut short/)
    const report = await importInto(opened, 'hugo', folder)
    t.match(report.records, { posts: { created: 30 } })
    t.strictSame(report.problems.map(({ file }) => file).sort(), ['content/posts/huge.md', 'content/posts/p1.md'])
  })
})

t.test('shortcodes name pictures by where they are now, and links with tags stay as they were', async (t) => {
  const text = [
    '{{< figure src="/images/sea.png#x" alt="/images/sea.png" link="https://example.org/a.png" >}}',
    '{{< figure src=cat.png title="A cat" >}} {{< figure "sub/dog.png" >}}',
    '{{< gallery "cat.png" "none.png" "a cat.png" >}}',
    '{{</* figure src="cat.png" */>}} `{{< figure src="cat.png" >}}`',
    '[source][] [there](../there/)',
    '',
    '[source]: <{{% eturl "x" %}}>',
    '[other]: <{{ site.url }}/x>',
  ]
  const folder = exportOf(t, {
    'hugo.toml': '',
    'content/posts/trip/index.md': `---\ntitle: Trip\n---\n${text.join('\n')}\n`,
    'content/posts/trip/cat.png': PIXEL,
    'content/posts/trip/sub/dog.png': PIXEL,
    'static/images/sea.png': PIXEL,
  })
  await eachStore(t, {}, async (t, opened) => {
    await importInto(opened, 'hugo', folder)
    const { body = '' } = (await opened.store.get(keyOf('posts', 'trip'))) ?? {}
    t.strictSame(body.trim().split('\n'), [
      '{{< figure src="/media/images/sea.png#x" alt="/media/images/sea.png" link="https://example.org/a.png" >}}',
      '{{< figure src=/media/posts/trip/cat.png title="A cat" >}} {{< figure "/media/posts/trip/sub/dog.png" >}}',
      '{{< gallery "/media/posts/trip/cat.png" "none.png" "a cat.png" >}}',
      ...text.slice(3, 4),
      '[source][] [there](/posts/there/)',
      ...text.slice(5),
    ])
  })
})

t.test('long texts of shortcodes take their time and no more', (t) => {
  const parts = [
    '{{<',
    `{{<${' '.repeat(1000)}`,
    '{{< a "',
    '{{< a " ',
    '{{< a "b.png" >}}',
    '{{< "\\',
    '{{< highlight go >}}',
    '{{< /highlight >}}',
    '{{< ref "a" >}}',
    '`',
    '``` ',
  ]
  for (const part of parts) {
    const text = part.repeat(Math.ceil(300_000 / part.length))
    t.ok(withoutShortcodes(text, new Set(), (path) => path).body, part.slice(0, 10))
    t.equal(
      withCallsAddressed(text, () => undefined),
      text,
    )
  }
  t.end()
})

t.test('files that mounts leave out, or do not name, do not come, and those below a path get it', async (t) => {
  const mount = (source: string, target: string, more = '') =>
    `[[module.mounts]]\nsource = "${source}"\ntarget = "${target}"\n${more}\n`
  const folder = exportOf(t, {
    'hugo.toml': [
      mount('public-files', 'static', 'excludeFiles = ["internal/**"]'),
      mount('brand', 'static/img/'),
      mount('pictures', 'assets', 'includeFiles = ["shown/**"]'),
      mount('node_modules/theme', 'assets/theme'),
      mount('../outside', 'static'),
    ].join(''),
    'public-files/internal/secret.png': PIXEL,
    'public-files/internal/secret.txt': 'Secret.\n',
    'public-files/robots.txt': 'Open.\n',
    'public-files/cat.png': PIXEL,
    'brand/logo.png': PIXEL,
    'brand/font.woff2': 'x',
    'pictures/shown/a.png': PIXEL,
    'pictures/own.png': PIXEL,
    'static/former.png': PIXEL,
    'static/former.txt': 'Former.\n',
    'node_modules/theme/theme.png': PIXEL,
    'content/a.md': '![Cat](/cat.png) ![Logo](/img/logo.png) ![None](/logo.png)\n',
  })
  await eachStore(t, {}, async (t, opened) => {
    const root = exportOf(t, {})
    const { problems } = await importInto(opened, 'hugo', folder, { root })
    t.strictSame(problems, [])
    const media = (await opened.store.heads(MEDIA, {})).items.map(({ key }) => key.id)
    t.strictSame(media.sort(), ['cat.png', 'img~logo.png', 'shown~a.png'])
    const files = readdirSync(join(root, 'static'), { recursive: true }).map(String)
    t.strictSame(files.sort(), ['img', 'img/font.woff2', 'robots.txt'])
    const { body } = (await opened.store.get(keyOf('pages', 'a'))) ?? {}
    t.equal(body, '![Cat](/media/cat.png) ![Logo](/media/img/logo.png) ![None](/logo.png)\n')
  })
})
