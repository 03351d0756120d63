import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Bodies, type Body } from '#features/site/pages/bodies.ts'
import { Markdown } from '#markdown/markdown.ts'

const markdown = new Markdown()
const SECTION =
  '# A *heading*\n\nText with [a record](b.md), [another](/c.md#d), [third](posts/b#e), `code` & <b onclick="x">raw</b>.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n'
const LONG = SECTION.repeat(400)
/** Takes some 15 seconds. */
const SLOW = `| a | b |\n|---|---|\n${'| *a* | [b](b.md) |\n'.repeat(150_000)}`

function bodiesOf(t: Test, limit?: number): Bodies {
  const bodies = new Bodies(markdown, limit)
  t.teardown(() => bodies.close())
  return bodies
}

function bodyOf(text: string, more: Partial<Body> = {}): Body {
  const known = new Map([
    ['posts/b', '/posts/b'],
    ['c', '/c'],
  ])
  const place = {
    base: '/site',
    page: '/posts/a',
    folders: ['posts', 'posts/a'],
    folder: 'posts',
    pageOf: (path: string) => known.get(path),
    pageAt: () => undefined,
    pageNamed: () => undefined,
    fileAt: () => undefined,
  }
  return {
    name: `posts/a ${text.length}`,
    text,
    title: 'A',
    trusted: false,
    place,
    origin: 'https://example.org',
    now: 0,
    ...more,
  }
}

t.test('a long body is made by a thread, and comes out as it would here', async (t) => {
  const bodies = bodiesOf(t)
  for (const trusted of [false, true]) {
    const made = bodies.html(bodyOf(LONG, { trusted }))
    t.ok(made instanceof Promise, 'not at once')
    const { html, isPlain } = await made
    const parts = (await bodies.html(bodyOf(SECTION, { trusted }))).html
    t.notOk(isPlain)
    t.match(parts, '<a href="/site/posts/b">a record</a>')
    t.match(parts, '<a href="/site/c#d">another</a>')
    t.match(parts, '<a href="/site/posts/b#e">third</a>', 'from content/ on')
    t.ok(html.startsWith(parts.slice(0, 40)))
    t.equal(html.split('<a href="/site/posts/b">').length, 401, 'links lead to pages of records')
    t.equal(html.split('<a href="/site/c#d">').length, 401)
    t.equal(html.includes('onclick'), trusted)
    t.match(html, 'id="a-heading-399"')
    t.match((await bodies.html(bodyOf(`"a" ${LONG}`, { trusted, name: 'q', syntax: { typographer: true } }))).html, '<p>“a” # A')
  }
})

t.test('a small body is made at once, unless its tables are large or it has much code', async (t) => {
  const bodies = bodiesOf(t)
  t.notOk(bodies.html(bodyOf(SECTION)) instanceof Promise)
  const wide = `${'|a'.repeat(64)}\n${'|-'.repeat(64)}\n${'a|\n'.repeat(1000)}`
  const made = bodies.html(bodyOf(wide))
  t.ok(made instanceof Promise)
  t.match((await made).html, /<table>/)
  const code = (lines: number) =>
    bodies.html(bodyOf(`\`\`\`js\n${'let a\n'.repeat(lines)}\`\`\`\n\n> ~~~\n> ${'b'.repeat(100)}\n`))
  t.notOk(code(600) instanceof Promise)
  const long = code(700)
  t.ok(long instanceof Promise)
  t.match((await long).html, 'hljs-keyword')
})

t.test('while a long body is made, others have their turn', async (t) => {
  const bodies = bodiesOf(t)
  let turns = 0
  let isDone = false
  const made = Promise.resolve(bodies.html(bodyOf('*a_ '.repeat(60_000)))).finally(() => {
    isDone = true
  })
  for (; !isDone; turns++) await setImmediate()
  t.notOk((await made).isPlain)
  t.ok(turns > 100, `${turns} turns`)
})

t.test('a body that takes too long is shown as it was written, and others are made all the same', async (t) => {
  const bodies = bodiesOf(t, 3000)
  const [slow, fine] = [bodies.html(bodyOf(SLOW)), bodies.html(bodyOf(LONG, { name: 'fine' }))]
  const { html, isPlain } = await slow
  t.ok(isPlain)
  t.match(html, /takes too long[^<]*<\/p>\n<pre>\| a \| b \|/)
  t.match(await fine, { isPlain: false })
  const before = performance.now()
  t.match(await bodies.html(bodyOf(SLOW)), { isPlain: true })
  t.ok(performance.now() - before < 3000, 'it is not tried again')
})

t.test('what would make far more HTML than text is shown as it was written', async (t) => {
  t.match(await bodiesOf(t).html(bodyOf('#\n'.repeat(200_000))), { isPlain: true })
})

t.test('what waits when the site is closed is answered', async (t) => {
  const bodies = new Bodies(markdown)
  const made = [bodies.html(bodyOf(LONG)), bodies.html(bodyOf(LONG, { name: 'other' }))]
  bodies.close()
  for (const one of made) await t.rejects(Promise.resolve(one), { name: 'Error', message: /just now/ })
})
