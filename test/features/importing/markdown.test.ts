import fc from 'fast-check'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { outsideCode } from '#features/importing/outside-code.ts'
import { exportOf, importInto, PIXEL } from '#support/importing.ts'
import { eachStore } from '#support/stores.ts'

t.test('a folder of Markdown comes with its pictures, its own bytes, and names that ids can have', async (t) => {
  const crlf = '---\r\ntitle: A # remark\r\n---\r\n\r\n![x](img/a%20b.png)\r\n'
  const folder = exportOf(t, {
    'index.md': 'Home.\n',
    'notes/a.md': crlf,
    'notes/img/a b.png': PIXEL,
    'notes/what?.md': 'What?\n',
    'notes/_private.md': 'Mine.\n',
    '.git/x.md': 'Git.\n',
    'node_modules/y/readme.md': 'Program.\n',
    'notes/run.md': '---js\nprocess.exit(1)\n---\n',
    'notes/way-out.md': '![](../../../etc/x.png)\n',
    'notes/fake.png': 'no picture',
    'data.bin': 'x',
  })
  await eachStore(t, { history: true }, async (t, opened) => {
    const { store } = opened
    const report = await importInto(opened, 'markdown', folder)
    t.match(report.records, { pages: { created: 1 }, notes: { created: 3 } })
    t.equal(
      (await store.get(keyOf('notes', 'a')))?.source?.toString(),
      crlf.replace('img/a%20b.png', '/media/notes/img/a%20b.png'),
    )
    t.equal((await store.get(keyOf('notes', 'what-')))?.body, 'What?\n')
    t.strictSame(report.problems.map(({ file }) => file).sort(), ['notes/fake.png', 'notes/run.md'])
    t.strictSame(report.left_out.flatMap(({ first }) => first).sort(), ['data.bin', 'notes/_private.md'])
    t.strictSame((await store.kinds()).sort(), ['media', 'notes', 'pages'])
  })
})

t.test('what is no code is changed, and all else is as it was', (t) => {
  const change = (piece: string) => piece.replaceAll('x', 'y')
  const cases = [
    ['x `x` x', 'y `x` y'],
    ['``x ` x`` x', '``x ` x`` y'],
    ['x\n```\nx\n```\nx', 'y\n```\nx\n```\ny'],
    ['~~~ x\nx\n```\nx', '~~~ x\nx\n```\nx'],
    ['> ```\n> x\n> ```\nx', '> ```\n> x\n> ```\ny'],
    ['a ` x\n\nx ` x', 'a ` y\n\ny ` y'],
    ['', ''],
  ]
  for (const [text = '', wanted] of cases) t.equal(outsideCode(text, change), wanted, JSON.stringify(text))
  const parts = fc.array(fc.constantFrom('`', '``', '```', '~~~', '\n', '\n\n', 'x', ' ', '> ', '\r\n', 'word'), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(parts, (words) => {
      const text = words.join('')
      return outsideCode(text, (piece) => piece) === text
    }),
    { numRuns: 1000 },
  )
  t.end()
})
