import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { Bodies, type Body } from '#features/site/pages/bodies.ts'
import { TemplateFailure } from '#features/site/theme/template-failure.ts'
import { Theme } from '#features/site/theme/theme.ts'
import { Markdown } from '#markdown/markdown.ts'
import { makeSite } from '#support/sites.ts'

const BUILT_IN = fileURLToPath(new URL('../../../templates/site', import.meta.url))

function bodiesOf(t: Test, files: Readonly<Record<string, string>> = {}) {
  const { root, remove } = makeSite(files)
  const theme = new Theme({
    folders: [`${root}/templates/site`, BUILT_IN],
    root,
    locale: 'en',
    timezone: 'UTC',
    excerpt: (text) => text,
  })
  const bodies = new Bodies(new Markdown(), undefined, () => theme)
  t.teardown(() => {
    bodies.close()
    remove()
  })
  return async (text: string, base = '', more: Partial<Body> = {}) => {
    const place = {
      base,
      page: '/blog/a',
      folders: ['posts', 'posts/a'],
      folder: 'posts/a',
      pageOf: (path: string) => (path === 'posts/b' ? '/blog/b' : undefined),
      pageAt: () => undefined,
      pageNamed: () => undefined,
      fileAt: (path: string) => (path === 'posts/a/cat.jpg' ? '/blog/a/cat.jpg' : undefined),
    }
    return (
      await bodies.html({ name: text, text, title: '', trusted: false, place, origin: 'https://example.org', now: 0, ...more })
    ).html
  }
}

const FIGURE = '{{< figure src="cat.jpg" caption="A <b>\\"cat\\"</b>" link="b.md#c" >}}'
const MADE =
  '<figure><a href="/s/blog/b#c"><img src="/s/blog/a/cat.jpg" alt="A &lt;b&gt;&#34;cat&#34;&lt;/b&gt;" loading="lazy"></a><figcaption>A &lt;b&gt;&#34;cat&#34;&lt;/b&gt;</figcaption></figure>'

t.test('shortcodes of Quire and of the site make their HTML, beside raw HTML that is cleaned', async (t) => {
  const render = bodiesOf(t, {
    'templates/shortcodes/mine.liquid': '<iframe title="{{ args.a }}-{{ args[0] }}"></iframe>',
    'templates/shortcodes/youtube.liquid': 'own',
  })
  t.equal(await render(FIGURE, '/s'), `${MADE}\n`)
  t.equal(
    await render(`<i onclick="x">y</i> {{< mine a="1" 2 >}} {{< youtube x >}}`),
    '<p><i>y</i> <iframe title="1-2"></iframe> own</p>\n',
  )
  t.equal(
    await render('{{< details "More" >}}\n*a*\n\n{{< vimeo 1 >}}\n{{< /details >}}'),
    '<details class="box box-details"><summary class="box-title">More</summary>\n<p><em>a</em></p>\n<p class="video"><a href="https://vimeo.com/1">Vimeo</a></p>\n</details>\n',
  )
  t.equal(await render('{{< unknown >}}'), '<p>{{&lt; unknown &gt;}}</p>\n')
})

t.test('arguments are data: they end no attribute, and lead to no script', async (t) => {
  const render = bodiesOf(t)
  for (const link of [
    'javascript:alert(1)',
    ' java\tscript:alert(1)',
    'data:text/html,x',
    'VBScript:x',
    'javascript:alert(\\"1\\")',
    "javascript:'&'",
  ])
    t.match(await render(`{{< figure src="x.png" link="${link}" >}}`), '<a href="#">', link)
  t.equal((await render('{{< figure src="/a.png" link="/b" >}}', '/s')).split('"/s/').length, 3)
  const [src] = /src="[^"]*"/.exec(await render('{{< figure src="x\\" onerror=\\"alert(1)" >}}')) ?? []
  t.match(src, 'onerror', 'it is a part of the address')
  const within = await render('<div title="\n\n{{< figure src="cat.jpg" link="x onmouseover=alert(1)" >}} ">\n\nb')
  t.notMatch(within, '<figure')
})

t.test('a long text has the same, made by rounds of questions', async (t) => {
  const render = bodiesOf(t)
  const long = await render(`${FIGURE}\n\n${'word\n\n'.repeat(4000)}{{< details >}}\n${FIGURE}\n{{< /details >}}\n`, '/s')
  t.ok(long.startsWith(`${MADE}\n<p>word</p>\n`))
  t.ok(long.endsWith(`<summary class="box-title">Details</summary>\n${MADE}\n</details>\n`))
})

t.test('a shortcode that fails is told by its file', async (t) => {
  const render = bodiesOf(t, { 'templates/shortcodes/bad.liquid': '\n{% if %}' })
  const failure = await render('{{< bad >}}').catch((error: unknown) => error)
  t.ok(failure instanceof TemplateFailure)
  t.match(failure, { file: /shortcodes\/bad\.liquid$/, line: 2 })
  t.ok((await render(`{{< bad >}}\n\n${'word\n\n'.repeat(4000)}`).catch((error: unknown) => error)) instanceof TemplateFailure)
})
