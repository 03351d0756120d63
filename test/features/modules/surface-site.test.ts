import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { siteExtensions } from '#features/modules/site-extensions.ts'
import { TestApp } from '#support/app.ts'
import { adding, loaded, setOf } from '#support/module-panel.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore, openFiles } from '#support/stores.ts'

const TEMPLATE = `{% layout 'base' %}{% block main %}<p id="f">{{ record.title | shout: "!", loud: true }}</p><p id="t">{% hello record.title, "b" %}</p><p id="h">{% mark record.title %}</p>{{ record.html | raw }}{% endblock %}`
const FILES = {
  'content/posts/a.md': '---\ntitle: A <b>\n---\nSome ==text== and :wave: here. <script>x</script>\n',
  'content/posts/b.md': '---\ntitle: B\n---\nPlain.\n',
}

const EXTRA = loaded('extra', {
  filters: {
    shout: (text, sign, named) => `<${String(text).toUpperCase()}${String(sign)}${JSON.stringify(named)}`,
    fails: () => {
      throw new Error('no more tea')
    },
    late: async () => 'x',
  },
  tags: {
    hello: (...args) => `Hello <i>${args.join(' & ')}`,
    mark: (text) => ({ html: `<mark>${String(text).length}</mark>` }),
    odd: () => ({ text: 'x' }) as unknown as string,
  },
  markdown: (parser) => wave(parser as Parser),
})

interface Parser {
  readonly core: {
    readonly ruler: {
      push(
        name: string,
        rule: (state: { tokens: Token[]; Token: new (type: string, tag: string, nesting: 0) => Token }) => void,
      ): void
    }
  }
}
interface Token {
  type: string
  content: string
  children: Token[] | null
}

/** Makes a hand of each `:wave:`, with a script that must not reach a page. */
function wave(parser: Parser): void {
  parser.core.ruler.push('wave', (state) => {
    for (const token of state.tokens)
      for (const child of token.children ?? [])
        if (child.type === 'text' && child.content.includes(':wave:')) {
          child.type = 'html_inline'
          child.content = child.content.replace(':wave:', '<span class="hand" onclick="x()">hand</span><script>y</script>')
        }
  })
}

const RECORD = { 'templates/site/record.liquid': TEMPLATE }
const SHOWN = { 'templates/site/base.liquid': '{% block main %}{% endblock %}' }

function extensionsOf(modules = setOf(EXTRA), lines: string[] = []) {
  return siteExtensions(adding(modules, lines))
}

t.test('filters, tags and rules of Markdown of a module are on pages, escaped and cleaned', (t) =>
  eachStore(t, { files: FILES }, async (t, opened) => {
    const { html } = publicSite(t, opened, false, { extensions: extensionsOf(), files: { ...RECORD, ...SHOWN } })
    const page = await html('/posts/a')
    t.match(page, '<p id="f">&lt;A &lt;B&gt;![&#34;loud&#34;,true]</p>')
    t.match(page, '<p id="t">Hello &#60;i&#62;A &#60;b&#62; &#38; b</p>')
    t.match(page, '<p id="h"><mark>5</mark></p>')
    t.match(page, /<mark>text<\/mark> and <span[^>]*>hand<\/span> here\./)
    t.notMatch(page, /onclick|<script>[xy]/)
    const { html: without } = publicSite(t, opened)
    t.match(await without('/posts/a'), ':wave:', 'a site without modules has none of it')
  }),
)

t.test('a filter or a tag that fails is an error of its page that names the module; other pages are made', async (t) => {
  const opened = await openFiles({ files: FILES })
  t.teardown(opened.close)
  const broken: Readonly<Record<string, RegExp>> = {
    "{{ 'a' | fails }}": /The filter "fails" of the module "extra" failed: no more tea/,
    "{{ 'a' | late }}": /The filter "late" of the module "extra" is not ready at once/,
    '{% odd %}': /The tag "odd" of the module "extra" makes neither/,
    '{% hello | x %}': /is no value for the tag "hello"/,
  }
  for (const [text, words] of Object.entries(broken)) {
    const template = `{% if record.title == 'B' %}fine{% else %}\n${text}{% endif %}`
    const { html } = publicSite(t, opened, false, {
      extensions: extensionsOf(),
      files: { 'templates/site/record.liquid': template },
    })
    await t.rejects(html('/posts/a'), { message: words, file: 'templates/site/record.liquid', line: 2 }, text)
    if (!text.includes('|  x') && !text.startsWith('{% hello')) t.match(await html('/posts/b'), 'fine')
  }
})

t.test('rules of Markdown that throw are an error of the text; those that can not be added are left out', async (t) => {
  const opened = await openFiles({ files: FILES })
  t.teardown(opened.close)
  const lines: string[] = []
  const rules = loaded('rules', {
    markdown: (parser) =>
      (parser as Parser).core.ruler.push('boom', ({ tokens }) => {
        if (tokens.some(({ content }) => content.includes(':wave:'))) throw new Error('boom')
      }),
  })
  const useless = loaded('useless', {
    markdown: () => {
      throw new Error('not this parser')
    },
  })
  const { html } = publicSite(t, opened, false, { extensions: extensionsOf(setOf(rules, useless), lines) })
  await t.rejects(html('/posts/a'), { message: /rules of the module "rules", "useless": boom/ })
  t.match(await html('/posts/b'), 'Plain.')
  t.same(lines, ['useless: Its rules of Markdown are left out: not this parser'], 'said once')
})

t.test('a long text is made in a thread of its own, with the rules of modules', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-module-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'index.mjs')
  writeFileSync(
    file,
    `export default { api: 1, markdown: (parser) => parser.core.ruler.push('w', ({ tokens }) => tokens.forEach((token) => token.children?.forEach((child) => { child.content = child.content.replace('WAVE', 'thread ' + (process.stdout.isTTY ?? 'none')) }))) }`,
  )
  const long = `---\ntitle: Long\n---\n${'Many words are here. '.repeat(1000)}\n\nWAVE\n`
  const opened = await openFiles({ files: { 'content/posts/long.md': long } })
  t.teardown(opened.close)
  const here = loaded('threads', { markdown: () => undefined })
  const entry = pathToFileURL(file).href
  const { html } = publicSite(t, opened, false, { extensions: extensionsOf(setOf({ ...here, entry })) })
  t.match(await html('/posts/long'), 'thread none')
})

t.test('a build makes pages anew when a module is another, and keeps them while it is the same', async (t) => {
  const opened = await openFiles({ files: { ...FILES, ...RECORD, ...SHOWN } })
  t.teardown(opened.close)
  const out = opened.site.path('public')
  const built = async (tree: string, word: string) => {
    const module = { ...loaded('extra', { ...EXTRA.definition, filters: { shout: () => word } }), tree }
    const app = new TestApp(opened, {
      config: { features: { site: true, taxonomy: true, modules: true } },
      deps: { modules: setOf(module), moduleLog: () => undefined },
    })
    await app.features.site.build(out)
    await app.close()
    return /id="f">([^<]*)</.exec(readFileSync(join(out, 'posts/a/index.html'), 'utf8'))?.[1]
  }
  t.equal(await built('sha512-1', 'one'), 'one')
  t.equal(await built('sha512-1', 'two'), 'one', 'of the same module the same is expected')
  t.equal(await built('sha512-2', 'two'), 'two')
})
