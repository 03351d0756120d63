import { existsSync } from 'node:fs'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { siteRoutes } from '#features/site/routes.ts'
import { describeData } from '#features/site/serving/given-data.ts'
import { sendTagged } from '#http/answers/answers.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({ posts: { template: 'post', additional_fields: true } })

const FILES = {
  'content/about.md': '---\ntitle: About\n---\n',
  'content/posts/a.md': '---\ntitle: "A <b>"\ndate: 2026-01-01\napi_key: k-123\nhint: ghp_0123456789abcdefghij0123\n---\nText\n',
  'content/posts/b.md': '---\ntitle: B\ndate: 2026-01-02\n---\n',
  'content/posts/c.md': '---\ntitle: C\ndate: 2026-01-03\n---\n{{< odd >}}\n',
  'content/posts/secret.md': '---\ntitle: Secret draft\ndraft: true\n---\n',
}
const BROKEN = {
  'templates/site/post.liquid':
    'one <&>\n{% if record.title contains "b" %}{{ record.fields.hint | nope }}{% endif %}{{ record.html }}\n',
  'data/keys.yaml': 'a: k-456\n',
}

async function served(t: Test, opened: OpenedStore, files: Readonly<Record<string, string>>, detailed = true) {
  const made = publicSite(t, opened, false, { files, settings: new Map() })
  const app = Fastify()
  t.teardown(() => app.close())
  const { root } = made.folder
  await app.register(siteRoutes, {
    site: made.site,
    local: detailed ? { root } : undefined,
    log: () => undefined,
    isPanelHost: () => false,
    isNearOnly: false,
    send: sendTagged,
  })
  return { ...made, app }
}

t.test('a template that fails is shown with its place, its record and what it was given', (t) =>
  eachStore(t, { files: FILES, types, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const { app } = await served(t, opened, BROKEN)
    const { statusCode, body, headers } = await app.inject({ url: '/posts/a', headers: { host: '127.0.0.1:3000' } })
    t.equal(statusCode, 500)
    t.match(headers, { 'cache-control': 'no-store', 'content-security-policy': /default-src 'none'/ })
    t.match(body, /nope[\s\S]*<code>templates\/site\/post\.liquid:2:\d+<\/code>/)
    t.match(body, / {4}1 {2}one &lt;&amp;&gt;\n&gt; {4}2 {2}\{% if record/, 'the lines of the template')
    t.match(body, /posts\/a at \/posts\/a/, 'the record')
    t.match(body, /record:\n[\s\S]*title: &quot;A &lt;b&gt;&quot;/, 'what it was given')
    t.match(body, /records:\n[\s\S]*posts: a list of 3\n/)
    t.notMatch(body, /k-123|k-456|ghp_|Secret draft/, 'and nothing that is for nobody')
    t.match(await app.inject({ url: '/posts/b', headers: { host: '127.0.0.1' } }), { statusCode: 500, body: /nope/ })
    const elsewhere = await app.inject({ url: '/posts/a', headers: { host: 'example.org' } })
    t.equal(elsewhere.statusCode, 500)
    t.notMatch(elsewhere.body, /nope|liquid|posts|title:/i)
    const { app: open } = await served(t, opened, BROKEN, false)
    t.notMatch((await open.inject({ url: '/posts/a', headers: { host: '127.0.0.1' } })).body, /nope|liquid|title:/)
  }),
)

t.test('a broken template of a part and of a shortcode is shown with the page that uses it', (t) =>
  eachStore(t, { files: FILES, types, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const { app } = await served(t, opened, {
      'templates/site/page.liquid': '{% render "part", a: 1 %}',
      'templates/site/part.liquid': '\n  {{ a | divided_by: 0 | nope }}',
      'templates/shortcodes/odd.liquid': '{{ args | nope }}',
    })
    const ask = async (url: string) => (await app.inject({ url, headers: { host: 'localhost' } })).body
    t.match(await ask('/about'), /part\.liquid:2:3[\s\S]*pages\/about at \/about/)
    t.match(await ask('/posts/c'), /shortcodes\/odd\.liquid:1:1[\s\S]*posts\/c at \/posts\/c[\s\S]*name: &quot;odd&quot;/)
  }),
)

t.test('each fault is named once, with the pages that are not made; the others are written', (t) =>
  eachStore(t, { files: FILES, types, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const { site, folder } = publicSite(t, opened, false, {
      files: {
        'templates/site/post.liquid':
          '{% if record.title == "C" %}\n{{ record.title | plus: 1 | times }}{% render record.title %}{% endif %}{% render record.fields.part %}',
        'templates/shortcodes/odd.liquid': 'odd',
      },
    })
    const report = await site.build('public')
    const [first, second, ...more] = report.problems.filter(({ file }) => file === 'templates/site/post.liquid')
    t.match(
      [first, second].map((problem) => problem?.message),
      [/The page of posts\/c is not made\./, /2 pages, as that of posts\/a, are not made\./],
    )
    t.same(more, [])
    t.ok(existsSync(folder.path('public/about/index.html')))
    t.notOk(existsSync(folder.path('public/posts/a/index.html')))
    const steps: number[] = []
    t.same(await site.rendered((done) => steps.push(done)), [first, second], 'as when nothing is written')
    t.ok(steps.length > 0)
  }),
)

t.test('of a file of data that is broken no line is shown', (t) =>
  eachStore(t, { files: FILES, types, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const { app } = await served(t, opened, {
      'templates/site/page.liquid': '{{ site.data.keys.a }}',
      'data/keys.yaml': 'a: k-789\nb: [\n',
    })
    const { statusCode, body } = await app.inject({ url: '/about', headers: { host: 'localhost' } })
    t.equal(statusCode, 500)
    t.match(body, /data\/keys\.yaml/)
    t.notMatch(body, /k-789/)
  }),
)

t.test('what is mended is shown at the next request', async (t) => {
  await eachStore(t, { files: FILES, types, now: '2026-06-01T00:00:00.000Z' }, async (t, opened) => {
    const { app, folder } = await served(t, opened, BROKEN)
    t.equal((await app.inject('/posts/a')).statusCode, 500)
    folder.write('templates/site/post.liquid', 'mended')
    opened.clock.advance(2000)
    t.match(await app.inject('/posts/a'), { statusCode: 200, body: /^mended<script / })
  })
})

t.test('what a template was given is told in few lines, whatever it is', (t) => {
  const round: Record<string, unknown> = { list: [[[[[['deep']]]]]] }
  round.again = round
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`n${n}`, { a: n, b: 'x'.repeat(1e6) }]))
  const throws = Object.defineProperty({}, 'bad', {
    enumerable: true,
    get: () => {
      throw new Error('no')
    },
  })
  const lines = describeData({ round, wide, throws, text: 'y'.repeat(1e6), password: 'p-1', settings: { a: { b: 's-1' } } })
  t.ok(lines.length < 300 && lines.every((line) => line.length < 300))
  t.match(lines.join('\n'), /bad: nothing\ntext: "y{100}…"\npassword: \(not shown\)\nsettings:\n {2}a: \(not shown\)$/)
  t.notMatch(lines.join('\n'), /p-1|s-1/)
  t.end()
})
