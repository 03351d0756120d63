import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { settingsOf } from '#core/settings.ts'
import { twinText } from '#features/site/pages/twin.ts'
import { Twins } from '#features/site/pages/twins.ts'
import { publicSite } from '#support/public-site.ts'
import { BY } from '#support/signing-in.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const HIDING = `Seen ![pic](pic.png) and [next](next.md).

<!-- zqcomment -->

[//]: # (zqslashes)
[unused]: /zqdefinition "zqtitle"
[used]: /posts/next "A title"

To [used]. <!-- zqinline --> {{< quiet >}}zqinner{{< /quiet >}} {{< loud a="zqargument" >}}

<iframe srcdoc="zqframe">zqframe</iframe><textarea>zqarea</textarea><svg><text>zqsvg</text></svg><script>zqscript</script>

[^zqunused]: zqnote

<!-- zqopen

zqrest
`
const FILES = {
  'content/index.md': '---\ntitle: Home\n---\n# Home\n\nWelcome.\n',
  'content/posts/a.md': `---\ntitle: 'A *star*'\ndate: 2026-01-01\nnotes: zqfield\nexcerpt: zqexcerpt\n---\n${HIDING}`,
  'content/posts/next.md': '---\ntitle: Next\ntemplate: bare\n---\nzqbare text that the template leaves out.\n',
  'content/posts/draft.md': '---\ntitle: zqdraft\ndraft: true\n---\nzqdraft\n',
  'content/posts/later.md': '---\ntitle: zqlater\ndate: 2030-01-01\n---\nzqlater\n',
  'content/posts/hidden.md': '---\ntitle: zqnoindex\nnoindex: true\n---\nzqnoindex\n',
  'content/posts/unlisted.md': '---\ntitle: zqunlisted\nunlisted: true\n---\nText.\n',
  'content/posts/file.md': '---\ntitle: File\n---\nOf the record.\n',
  'content/posts/page.md': '---\ntitle: Page\npermalink: /posts/z.md\n---\nA page.\n',
  'content/posts/z.md': '---\ntitle: Z\naliases: [/posts/a.md]\n---\nHas none.\n',
}
const TEMPLATES = {
  'templates/shortcodes/quiet.liquid': '{% comment %}{{ inner }}{% endcomment %}<!-- zqtemplate --><b hidden>zqhidden</b>said',
  'templates/shortcodes/loud.liquid': '<b style="display: none">{{ args.a }}</b>',
  'templates/site/bare.liquid': "{% layout 'layout' %}{% block main %}{{ record.title }}{% endblock %}",
}
const BESIDE = { 'static/posts/file.md': 'of static', 'static/robots.txt': 'User-agent: mine' }
const SETTINGS = { 'content/settings/site.yaml': 'description: "About [cats] & more"\n' }

function siteOn(t: Parameters<typeof publicSite>[0], opened: OpenedStore) {
  return publicSite(t, opened, false, { files: TEMPLATES, siteFiles: opened.siteFiles, settings: settingsOf({}) })
}

t.test('each page that may be found is there as Markdown, with what the page shows and nothing else', (t) =>
  eachStore(
    t,
    { files: { ...FILES, ...SETTINGS }, beside: BESIDE, types: plainTypes(), now: '2026-02-01T00:00:00Z' },
    async (t, opened) => {
      const { html, site, folder } = siteOn(t, opened)
      const read = (file: string) => readFileSync(folder.path(`public/${file}`), 'utf8')
      await site.build('public')
      t.match(await html('/posts/a'), '<link rel="alternate" type="text/markdown" href="/posts/a.md">')
      t.equal(
        read('posts/a.md'),
        `# A \\*star\\*

<https://example.org/posts/a>

Seen ![pic](https://example.org/posts/pic.png) and [next](https://example.org/posts/next).

To [used](https://example.org/posts/next). said
`,
      )
      t.equal(read('posts/next.md'), '# Next\n\n<https://example.org/posts/next>\n')
      t.equal(read('index.md'), '# Home\n\n<https://example.org/>\n\nWelcome.\n')
      t.equal(
        read('llms.txt'),
        `# Site

> About \\[cats\\] & more

- [Home](https://example.org/index.md)

## Posts

- [A \\*star\\*](https://example.org/posts/a.md)
- [File](https://example.org/posts/file.md)
- [Next](https://example.org/posts/next.md)
- [Page](https://example.org/posts/z.md.md)
`,
      )
      for (const file of ['posts/a.md', 'posts/next.md', 'index.md', 'posts/z.md.md', 'llms.txt']) {
        const page = await site.answer(`/${file}`)
        t.match(page, { status: 200, contentType: file === 'llms.txt' ? /^text\/plain/ : /^text\/markdown/ })
        t.ok('body' in page && page.etag !== undefined && String(page.body) === read(file), file)
      }
      t.match(await site.answer('/posts/file.md'), { status: 200, size: 9 }, 'a file of the site goes first')
      t.match(await site.answer('/robots.txt'), { status: 200, size: 16 })
      t.strictSame([read('posts/file.md'), read('robots.txt')], ['of static', 'User-agent: mine'])
      t.match(read('posts/z.md/index.html'), '<h1>Page</h1>')
      for (const path of [
        '/posts/draft.md',
        '/posts/later.md',
        '/posts/hidden.md',
        '/posts/unlisted.md',
        '/posts.md',
        '/tags.md',
        '/nothing.md',
      ]) {
        t.equal((await site.answer(path)).status, 404, path)
        t.notOk(existsSync(folder.path(`public${path}`)))
      }
      t.notMatch(await html('/posts/hidden'), 'text/markdown')
      t.notMatch(await html('/posts'), 'text/markdown')
    },
  ),
)

t.test('a twin is made again with its page, and goes with it', (t) =>
  eachStore(t, { files: FILES, types: plainTypes(), now: '2026-02-01T00:00:00Z' }, async (t, opened) => {
    const memory = opened.site && { folder: opened.site.path('.cms/cache'), basis: '' }
    const { site, folder } = publicSite(t, opened, false, { files: TEMPLATES, ...(memory && { memory }) })
    const read = (file: string) => readFileSync(folder.path(`public/${file}`), 'utf8')
    const first = await site.build('public')
    t.match(await site.build('public'), { written: 0, unchanged: first.written, removed: 0 })
    await opened.store.write([{ key: keyOf('posts', 'a'), put: { set: {}, body: 'Another text.\n' } }], BY)
    await site.build('public')
    t.match(read('posts/a.md'), /posts\/a>\n\nAnother text\.\n$/)
    await opened.store.write([{ key: keyOf('posts', 'a'), put: { set: { noindex: true } } }], BY)
    await site.build('public')
    t.notOk(existsSync(folder.path('public/posts/a.md')))
    t.notMatch(read('llms.txt'), 'star')
  }),
)

t.test('a long text is made in another thread, as a short one here; without it where that takes too long', async (t) => {
  const twin = {
    title: 'A *b*',
    html: `<table><tr><th>a</th></tr>${'<tr><td>x</td></tr>'.repeat(5_000)}</table>`,
    canonical: 'https://example.org/a',
  }
  const twins = new Twins()
  t.teardown(() => twins.close())
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  const text = await twins.text(twin)
  clearInterval(counting)
  t.equal(text, twinText(twin))
  t.ok(turns > 0, 'others had their turn')
  t.match(text, /\| x \|/)
  const hasty = new Twins(0)
  t.teardown(() => hasty.close())
  t.equal(await hasty.text(twin), twinText({ ...twin, html: '' }))
  const closed = new Twins()
  closed.close()
  const asked = closed.text(twin)
  closed.close()
  await t.rejects(asked, { message: 'Too many long pages are being made just now.' })
})
