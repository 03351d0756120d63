import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { linkMarks, markOf, UNNAMED_MARK } from '#core/links/marks.ts'
import { redirected } from '#core/links/moved-links.ts'
import { relink } from '#core/links/relink.ts'
import { foldersOf } from '#core/links/resolve.ts'
import { ScanThread } from '#core/links/scan-thread.ts'
import { LinkScanner } from '#core/links/scanner.ts'
import { bodyHtml } from '#features/site/pages/body-html.ts'
import { Markdown } from '#markdown/markdown.ts'
import { longTest } from '#support/long.ts'

const markdown = new Markdown()
const scanner = new LinkScanner()
const thread = new ScanThread()

/** Pieces of Markdown that make links, and what keeps text from being one. */
const PIECES = [
  '[a](/old)',
  '[b](</old> "t")',
  '![c](/old)',
  '[d][r]',
  '\n[r]: /old\n',
  '<https://x.org/old>',
  'https://x.org/old',
  '<a href="/old">',
  "<img src='/old'>",
  '`[a](/old)`',
  '\n```\n[a](/old)\n```\n',
  '<!-- [a](/old) <a href="/old"> -->',
  '\n    [a](/old)\n',
  '\n| [a](/old) | x |\n|---|---|\n| `|` | [b](/old) |\n',
  '\n> ',
  '\n- ',
  '\n1. ',
  '\n\t',
  '\n\n',
  '\r\n',
  '\\',
  '[',
  '](',
  ')',
  '`',
  '<',
  '/old',
  ' [q](/old',
  '*',
  '<div>',
  '\n[^1]: ',
  '[^1]',
  '\n:::tip ',
  '\n:::\n',
  '\n: ',
  '[!NOTE]\n',
  '==',
  '$',
  '<script>',
  '&amp;',
  ' word ',
  'ü',
]

t.test('what a footnote says is no address', async (t) => {
  const text = 'See[^1] and [a].\n\n[^1]: old\n[^n]: /old\n\n> [^q]: old\n\n[a]: old\n'
  const made = await relink(text, thread, () => 'new')
  t.equal(made, text.replace('[a]: old', '[a]: new'))
  const html = bodyHtml(markdown, text, { title: '', trusted: false, resolve: (href) => href }).html
  t.same(html.match(/href="[^"]*"/g), ['href="#fn-1"', 'href="old"', 'href="#fnref-1"'], 'nor on the page')
  t.match(html, /<li id="fn-1">\n<p>old </)
})

longTest('only what links of the page lead to is rewritten, and no other byte', () => {
  const page = (body: string, from: string) =>
    bodyHtml(markdown, body, { title: '', trusted: true, resolve: (href) => (href === from ? '/NEW' : href) }).html
  return fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }), async (pieces) => {
      const text = pieces.join('')
      const made = await relink(text, thread, ({ text: at }) => (at === '/old' ? '/new' : undefined))
      if (typeof made !== 'string') return
      if (made.replaceAll('/new', '/old') !== text) throw new Error('another byte was changed')
      // Raw HTML is not resolved where it is trusted: made alike here.
      const html = (one: string) => one.replace(/(href|src)=(["'])\/(?:old|new|NEW)\2/g, '$1="/NEW"')
      const [was, is] = [html(page(text, '/old')), html(page(made, '/new'))]
      if (was !== is) throw new Error(`the page is another:\n${was}\n${is}`)
    }),
    { numRuns: 3000 },
  )
})

t.test('each destination is told where it stands', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }), (pieces) => {
      const text = pieces.join('').replace(/\r\n?/g, '\n')
      return scanner.scan(text).every(({ start, end, text: at }) => text.slice(start, end) === at)
    }),
  )
  const found = scanner
    .scan('# [a](/a) #\n\n> - [b](<b c> "t")\n>   ![p](p.png)\n\n| [c](/c) | [c](/c) |\n|-|-|\n')
    .map(({ text }) => text)
  t.same(found, ['/a', 'b c', 'p.png', '/c', '/c'])
})

t.test('what has no mark of an address has no link to it', (t) => {
  const names = fc.constantFrom('old', 'old post', 'älter', 'v1.2', 'a_b', "it's", 'c++', 'x(1)', 'index', 'a&b', '日本')
  fc.assert(
    fc.property(names, fc.constantFrom('/x/', '', '../', './'), fc.constantFrom('', '.md', '/', '#h', '?q'), (name, way, end) => {
      const marks = (text: string) => linkMarks(text)
      const mark = markOf(`/x/${encodeURIComponent(name)}`)
      const forms = [
        `[a](<${way}${name}${end}>)`,
        `[a](${way}${encodeURIComponent(name)}${end})`,
        `x [r]:  <${way}${name}${end}>`,
      ]
      for (const text of forms) {
        const found = marks(text)
        const isFound = mark === undefined || found.includes(mark) || found.includes(UNNAMED_MARK)
        if (!isFound) throw new Error(text)
      }
    }),
  )
  t.end()
})

t.test('a link is written as it was: its way, its ending, its letters', async (t) => {
  const known = new Set(['posts/hello', 'posts/2026~there', 'pages/about', 'notes/n'])
  const removal = {
    from: 'posts/hello',
    to: 'posts/2026~n (1)',
    pages: new Map([['/blog/h%C3%A9llo', '/blog/2026/n%C3%A9w']]),
    site: { host: 'x.org:8080', base: '/repo' },
    has: (key: string) => known.has(key),
  }
  const from = { page: '/notes/n', folders: foldersOf('notes', 'n') }
  const at = { before: from, after: from }
  const to = (text: string, form: 'bare' | 'angle' | 'auto' | 'html' | 'plain' = 'bare') =>
    redirected({ text, form }, at, removal)
  t.equal(to('/blog/héllo/?a#b'), '/blog/2026/néw/?a#b')
  t.equal(to('/blog/h%c3%a9llo'), '/blog/2026/n%C3%A9w')
  t.equal(to('/blog/h%C3%A9llo/index.html'), '/blog/2026/n%C3%A9w/index.html')
  t.equal(to('../blog/héllo'), '../blog/2026/néw')
  t.equal(to('http://X.org:8080/repo/blog/h%C3%A9llo'), 'http://X.org:8080/repo/blog/2026/n%C3%A9w')
  t.equal(to('https://x.org:8080/repo/blog/h%C3%A9llo', 'auto'), 'https://x.org:8080/repo/blog/2026/n%C3%A9w')
  t.equal(to('//x.org:8080/repo/blog/h%C3%A9llo'), '//x.org:8080/repo/blog/2026/n%C3%A9w')
  t.equal(to('../posts/hello.md#x'), '../posts/2026/n%20%281%29.md#x')
  t.equal(to('../posts/hello.md', 'angle'), '../posts/2026/n (1).md')
  t.equal(to('/content/posts/hello.markdown'), '/content/posts/2026/n%20%281%29.markdown')
  t.equal(to('../posts/hello/index.md', 'html'), '../posts/2026/n%20(1)/index.md')
  t.equal(to('posts/hello#x'), 'posts/2026/n%20%281%29#x', 'from content/ on')
  t.equal(to('posts/hello/#x'), 'posts/2026/n%20%281%29/#x')
  t.equal(to('../posts/hello/_index.md'), '../posts/2026/n%20%281%29/_index.md', 'the page of a section')
  const index = { ...removal, from: 'posts/index', to: 'posts/m', has: (key: string) => key === 'posts/index' }
  const ofIndex = (text: string) => redirected({ text, form: 'bare' }, at, index)
  t.equal(ofIndex('../posts/index.md'), '../posts/m.md', 'the file with the id index, which has no folder of its own')
  t.equal(ofIndex('../posts/_index.md'), '../posts/m/_index.md')
  for (const same of [
    '/blog/hello',
    'https://x.org/repo/blog/h%C3%A9llo',
    'mailto:/blog/h%C3%A9llo',
    '#x',
    '',
    '../posts/hello',
    'hello',
    '/posts/hello',
    '/%zz',
    'about.md',
  ]) {
    t.equal(to(same), undefined, same)
  }
  const own = {
    before: { page: '/blog/h%C3%A9llo', folders: foldersOf('posts', 'hello') },
    after: { page: '/blog/2026/n%C3%A9w', folders: foldersOf('posts', '2026/n (1)') },
  }
  const self = (text: string) => redirected({ text, form: 'bare' }, own, removal)
  t.equal(self('2026/there.md'), 'there.md')
  t.equal(self('./2026/there.md'), './there.md')
  t.equal(self('cat.png'), '../cat.png')
  t.equal(self('../about.md'), '../../about.md')
  t.equal(self('hello.md'), 'n%20%281%29.md')
  t.equal(self('/blog/h%C3%A9llo#x'), '/blog/2026/n%C3%A9w#x')
  t.equal(self('#x'), undefined)
})

t.test('a long text is read beside the rest', async (t) => {
  let turns = 0
  let isDone = false
  const counting = (async () => {
    while (!isDone) {
      await setImmediate()
      turns++
    }
  })()
  const found = await thread.scan('[a](/b)\n'.repeat(5_000))
  t.equal(found?.length, 5_000)
  t.ok(turns > 10, 'others had their turns meanwhile')
  isDone = true
  await counting
})

longTest('other work has its turn while many destinations are rewritten', async (t) => {
  let turn = 0
  const timer = setInterval(() => turn++, 0)
  t.teardown(() => clearInterval(timer))
  const turns = new Set<number>()
  const made = await relink('[a](b) '.repeat(20_000), thread, () => {
    turns.add(turn)
    // As long as a rewrite takes.
    for (const end = performance.now() + 0.005; performance.now() < end; );
    return 'c'
  })
  t.equal(made, '[a](c) '.repeat(20_000))
  t.ok(turns.size > 5, `${turns.size} turns`)
})
