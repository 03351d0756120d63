import fc from 'fast-check'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { isLive } from '#core/status.ts'
import { outsideCode } from '#features/importing/outside-code.ts'
import { exportOf, importInto, PIXEL } from '#support/importing.ts'
import { longTest } from '#support/long.ts'
import { eachStore } from '#support/stores.ts'

longTest('a folder of Markdown comes with its pictures, its own bytes, and names that ids can have', async (t) => {
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
    'notes/mine/index.md': '---\nprivate: true\n---\n',
    'notes/mine/plan.png': PIXEL,
    'notes/_own/plan.png': PIXEL,
    '_drafts/plan.png': PIXEL,
    '_posts/seen.png': PIXEL,
    'notes/fake.png': 'no picture',
    'data.bin': 'x',
  })
  await eachStore(t, { history: true }, async (t, opened) => {
    const { store } = opened
    const report = await importInto(opened, 'markdown', folder)
    t.match(report.records, { pages: { created: 1 }, notes: { created: 4 } })
    t.equal(
      (await store.get(keyOf('notes', 'a')))?.source?.toString(),
      crlf.replace('img/a%20b.png', '/media/notes/img/a%20b.png'),
    )
    t.equal((await store.get(keyOf('notes', 'what-')))?.body, 'What?\n')
    t.strictSame(report.problems.map(({ file }) => file).sort(), ['notes/fake.png', 'notes/run.md'])
    t.strictSame(report.left_out.flatMap(({ first }) => first).sort(), [
      '_drafts/plan.png',
      'data.bin',
      'notes/_own/plan.png',
      'notes/_private.md',
      'notes/mine/index.md',
      'notes/mine/plan.png',
    ])
    t.strictSame((await store.heads('media', {})).items.map(({ key }) => key.id).sort(), ['notes~img~a b.png', 'posts~seen.png'])
    t.strictSame((await store.kinds()).sort(), ['media', 'notes', 'pages'])
  })
})

longTest('a text that its tool showed only if it said so, or if it was listed, is a draft where it was not', async (t) => {
  const garden = {
    'notes/seen.md': '---\ndg-publish: true\n---\nSeen.\n',
    'notes/mine.md': '---\ntags: x\n---\nMine.\n',
    'plain.md': 'Mine.\n',
    'notes/trip/index.md': 'Mine.\n',
    'notes/trip/plan.png': PIXEL,
  }
  const graph = { 'pages/seen.md': 'title:: Seen\npublic:: true\n\n- Seen.\n', 'pages/mine.md': '- Mine.\n' }
  const explicit = 'filters: [\n  Plugin.ExplicitPublish(),\n]\n'
  const chosen = { 'a/seen.md': '---\npublish: true\n---\nSeen.\n', 'a/mine.md': '---\ntitle: B\n---\n' }
  const book = {
    'src/SUMMARY.md': '# Summary\n\n- [Seen](./seen%20one.md#part)\n  - [Two](<sub/two.md>)\n- [Later]()\n',
    'src/seen one.md': 'Seen.\n',
    'src/sub/two.md': 'Seen.\n',
    'src/mine.md': 'Mine.\n',
    'other/free.md': 'Seen.\n',
  }
  const cases: [files: Record<string, string | Buffer>, drafts: string[]][] = [
    [garden, ['notes/mine', 'notes/trip', 'pages/plain']],
    [graph, ['pages/mine']],
    [{ ...chosen, 'quartz.config.ts': explicit }, ['a/mine']],
    // Without the word or the tool nothing is said of the others.
    [{ ...chosen, 'quartz.config.ts': `// ${explicit.replaceAll('\n', '')}` }, []],
    [chosen, []],
    [{ ...book, 'book.toml': '[book]\n' }, ['src/mine']],
    [book, []],
  ]
  for (const [files, wanted] of cases)
    await eachStore(t, { history: true }, async (t, opened) => {
      const report = await importInto(opened, 'markdown', exportOf(t, files))
      const drafts: string[] = []
      for (const kind of await opened.store.kinds())
        for (const { key, fields } of (await opened.store.heads(kind, {})).items)
          if (fields.status === 'draft') drafts.push(`${kind}/${key.id}`)
      t.strictSame(drafts.sort(), wanted)
      t.strictSame(report.problems, [])
      t.strictSame((await opened.store.heads('media', {})).items.length, 0, "and its pictures are nobody's")
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

t.test('no word by which any tool hides a text is lost on the way', async (t) => {
  const words = [
    ...['draft: true', 'Draft: yes', 'published: false', 'publish: no', 'status: draft', 'private: true', 'password: x'],
    ...[
      'visibility: members',
      'members: true',
      'date: 2099-01-01',
      'publishDate: 2099-01-01',
      'pubDatetime: 2099-01-01T00:00:00Z',
    ],
    ...['expiryDate: 2001-01-01', 'unpublish_date: 2001-01-01', 'state: in review', 'protected: true', 'post_status: private'],
    ...['is_published: no', 'public: false', 'wip: true', 'secret: yes', 'tags: [private]', 'access: { site.login: true }'],
  ]
  const folder = exportOf(
    t,
    Object.fromEntries(words.map((word, n) => [`posts/p${n}.md`, `---\ntitle: T\n${word}\n---\nText.\n`])),
  )
  await eachStore(t, {}, async (t, opened) => {
    const { store, types, clock } = opened
    await importInto(opened, 'markdown', folder)
    const { statuses } = types.shape('posts')
    for (const [n, word] of words.entries()) {
      const head = await store.head(keyOf('posts', `p${n}`))
      t.ok(head && head.problem?.severity !== 'error', `${word} is read`)
      t.notOk(head && isLive(head.fields, statuses, clock.now()), `${word} hides`)
    }
  })
})
