import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { editSource } from '#core/format/edit.ts'
import { readDocument } from '#core/format/read.ts'
import { Failure } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { longTest } from '#support/long.ts'
import { newValue, written } from '../frontmatter/written.ts'
import { key, md, shape } from './shape.ts'

const read = (text: string | Buffer, form = md) => readDocument(key, shape, Buffer.from(text), form, 'content/posts/x.md')
const edit = (text: string, set: Fields, form = md) => editSource(shape, Buffer.from(text), form, { set }, key).toString()

const status = (act: () => unknown) => {
  try {
    act()
    return undefined
  } catch (error) {
    return error instanceof Failure ? error.status : error
  }
}

longTest('an edit touches the lines of its key alone, and reads back as what was set', async (t) => {
  fc.assert(
    fc.property(written, newValue, (file, value) => {
      const before = read(file.text)
      if (before.problem?.severity === 'error') throw new Error(`not readable: ${before.problem.message}`)
      const wanted = file.key === 'title' ? (typeof value === 'object' ? 'plain text' : String(value) || 'x') : value
      const after = edit(file.text, { [file.key]: wanted })
      if (!after.startsWith(file.before) || !after.endsWith(file.after)) throw new Error(`noise:\n${after}`)
      const again = read(after)
      deepStrictEqual(again.fields, { ...before.fields, [file.key]: JSON.parse(JSON.stringify(wanted)) })
      deepStrictEqual(again.body, before.body)
    }),
    { numRuns: 1000 },
  )
  t.pass('held')
})

t.test('a save that changes nothing leaves every byte', async (t) => {
  fc.assert(
    fc.property(written, ({ text }) => {
      const { fields, body } = read(text)
      const same = editSource(shape, Buffer.from(text), md, { set: { ...fields }, body }, key)
      return same.equals(Buffer.from(text))
    }),
    { numRuns: 300 },
  )
  t.pass('held')
})

longTest('removing a key takes its lines and nothing else', async (t) => {
  fc.assert(
    fc.property(
      // A blank line after `|+` is the value's.
      written.filter(({ syntax, key: name, text }) => syntax !== 'json' && name !== 'title' && !text.includes('|+')),
      (file) => {
        const isNull = read(file.text).fields[file.key] === null
        deepStrictEqual(edit(file.text, { [file.key]: null }), isNull ? file.text : file.before + file.after)
      },
    ),
    { numRuns: 300 },
  )
  t.pass('held')
})

t.test('each style keeps its own', async (t) => {
  const change = (head: string, set: Fields) => edit(`---\n${head}\n---\n`, set).slice(4, -5)
  t.equal(change("title: 'One' # why", { title: "It's" }), "title: 'It''s' # why")
  t.equal(change('title: "One"', { title: 'Two "x"' }), 'title: "Two \\"x\\""')
  t.equal(change('title: One', { title: 'A: b' }), "title: 'A: b'")
  t.equal(change('title:', { title: 'x' }), 'title: x')
  t.equal(change('n: # none', { n: 5 }), 'n: 5 # none')
  t.equal(change('t: |\n    one\n    two\n\nz: 1', { t: 'three\n' }), 't: |\n    three\n\nz: 1')
  t.equal(change('t: >\n  one\n  two\nz: 1', { t: 'three\nfour\n' }), 't: >\n  three\n\n  four\nz: 1')
  t.equal(change('t: one', { t: 'two\nlines\n' }), 't: |\n  two\n  lines')
  t.equal(change('l:\n- a # first\n# second\n- b\nz: 1', { l: ['b', 'c'] }), 'l:\n# second\n- b\n- c\nz: 1')
  t.equal(change('l: [ "a", \'b\' ]', { l: ['b', 'a', 'c'] }), 'l: [ \'b\', "a", "c" ]')
  t.equal(change('l: [\n  a,\n  b\n]', { l: ['a', 'b', 'c'] }), 'l: [\n  a,\n  b,\n  c\n]')
  t.equal(
    change('o:\n    in: 1 # x\n    out: 2', { o: { in: 3, out: 2, more: 4 } }),
    'o:\n    in: 3 # x\n    out: 2\n    more: 4',
  )
  t.equal(
    change('m:\n  - name: A # x\n    url: /a\n  - name: B', { m: [{ name: 'A', url: '/b' }, { name: 'B' }] }),
    'm:\n  - name: A # x\n    url: /b\n  - name: B',
  )
  t.equal(change('{ a: 1, b: x }', { b: 'z' }), '{ a: 1, b: z }')
  t.equal(change('{ a: 1, b: x }', { c: 'z' }), '{ a: 1, b: x, c: z }')
  t.equal(change('a: 1\n# the end', { 'odd key:': ['x'] }), 'a: 1\n# the end\n"odd key:":\n  - x')
  t.equal(change('l:\n- a', { more: ['x'] }), 'l:\n- a\nmore:\n- x', 'a new list is indented as the others')
  t.equal(change('a: &x 1\nb: *x', { b: 2 }), 'a: &x 1\nb: 2')
  t.equal(
    change('base: &x { k: 1 }\nuse:\n  <<: *x\n  j: 2', { use: { k: 5, j: 2 } }),
    'base: &x { k: 1 }\nuse:\n  <<: *x\n  j: 2\n  k: 5',
  )
  t.throws(() => change('a: &x 1\nb: *x', { a: 2, c: 3 }), { message: /anchor &x/ })
})

t.test('a field goes to the key that the file uses', async (t) => {
  const change = (head: string, set: Fields) => edit(`---\n${head}\n---\n`, set).slice(4, -5)
  t.equal(change("date: '2024-01-01'", { published_at: '2024-02-01T00:00:00.000Z' }), "date: '2024-02-01'", 'a day stays a day')
  t.equal(change('date: 2024-01-01', { published_at: '2024-02-01T05:00:00.000Z' }), 'date: 2024-02-01T05:00:00.000Z')
  t.equal(
    change('date: 2024-01-01 00:00 +0100', { published_at: '2023-12-31T23:00:00Z' }),
    'date: 2024-01-01 00:00 +0100',
    'the same instant',
  )
  t.equal(change('Permalink: false', { permalink: '/x' }), 'Permalink: /x')
  t.equal(change('x: 1\nNoIndex: true', { noindex: null }), 'x: 1')
  t.equal(change('draft: true', { status: 'published' }), 'draft: false')
  t.equal(change('draft: false', { status: 'draft' }), 'draft: true')
  t.equal(change('draft: true', { status: 'archived' }), 'draft: true\nstatus: archived')
  t.equal(change('status: draft\ndraft: true', { status: 'published' }), 'status: published\ndraft: true')
  t.equal(change('published: false # not yet', { status: 'published' }), 'published: true # not yet')
  t.equal(change('publish: true', { status: 'draft' }), 'publish: false')
  t.equal(change('draft: "true"', { status: 'published' }), 'draft: false')
  t.equal(change('draft: true\npublished: true', { status: 'published' }), 'draft: false\npublished: true')
  t.equal(change('draft: true\npublished: false', { status: 'published' }), 'draft: false\npublished: true')
  t.equal(change('draft: false\npublished: true', { status: 'draft' }), 'draft: true\npublished: false')
  t.equal(change('published: false', { status: 'archived' }), 'published: false\nstatus: archived')
  t.equal(change('published: false\nx: 1', { status: null }), 'x: 1')
  const claimed = { ...shape, claimed: ['published'] }
  const claim = (text: string, set: Fields) =>
    editSource(claimed, Buffer.from(`---\n${text}\n---\n`), md, { set }, key).toString()
  t.equal(
    claim('published: true', { status: 'draft' }),
    '---\npublished: true\nstatus: draft\n---\n',
    'a field of the type’s own stays',
  )
  t.equal(claim('published: false', { status: 'published' }), '---\npublished: false\nstatus: published\n---\n')
  t.equal(change('Status: draft', { status: 'published' }), 'Status: published')
  for (const head of ['published: false', 'publishDate: 2030-01-01']) {
    for (const set of [
      { published: 'Nature' },
      { publishDate: '2020-01-01' },
      { draft: false },
      { published: null },
    ] as Fields[]) {
      const made = () => change(head, set)
      const kept = status(made) === 409 || made().includes(head)
      t.ok(kept, `${head} stays under ${JSON.stringify(set)}`)
    }
  }
  const at = (day: string) => ({ published_at: `${day}T00:00:00.000Z` })
  t.equal(change('date: 2020-01-01\npublishDate: 2030-01-01', at('2025-01-01')), 'date: 2025-01-01\npublishDate: 2025-01-01')
  t.equal(change('date: 2020-01-01\npublishDate: 2030-01-01', at('2031-01-01')), 'date: 2031-01-01\npublishDate: 2030-01-01')
  t.equal(change('publishDate: 2030-01-01', at('2025-01-01')), 'publishDate: 2025-01-01')
  t.equal(change('date: 2020-01-01\npublishDate: 2030-01-01\nx: 1', { published_at: null }), 'x: 1')
  t.equal(change('date: 2020/12/21', at('2021-01-05')), 'date: 2021/01/05')
  const until = (day: string) => ({ expires_at: `${day}T00:00:00.000Z` })
  t.equal(change('expiryDate: 2020-01-01', until('2030-01-01')), 'expiryDate: 2030-01-01')
  t.equal(
    change('expires_at: 2025-01-01\nunpublishDate: 2020-01-01', until('2030-01-01')),
    'expires_at: 2030-01-01\nunpublishDate: 2030-01-01',
  )
  t.equal(change('redirect_from: /a', { aliases: ['/a', '/b'] }), 'redirect_from:\n  - /a\n  - /b')
  t.equal(change('url: /a', { permalink: '/b' }), 'url: /b')
  t.equal(change('path: /a', { permalink: false }), 'path: /a\npermalink: false')
  t.equal(change('tags: One, Two', { tags: ['two', 'Three'] }), "tags: 'Two, Three'")
  t.equal(change('tags: One, Two', { tags: ['two'] }), 'tags: Two')
  t.equal(change('tags: One, Two', { tags: ['a, b'] }), "tags:\n  - 'a, b'")
  t.equal(change('x: 1', { hidden: true, noindex: true }), 'x: 1\nhidden: true')
  const own = 'version: 1.0.0 # mine\nid: 7\nx: 1'
  t.equal(change(own, { own: { version: '1.0.0', id: 8 } }), 'version: 1.0.0 # mine\nid: 8\nx: 1')
  t.equal(change(own, { own: { version: '2.0.0' } }), 'version: 2.0.0 # mine\nx: 1')
  for (const number of ['12:30', '12:30:45', '1_000', '1,000', '0b1', '1_0.5', '017', '0x1_f', '1e3']) {
    t.equal(change('x: a', { x: number }), `x: '${number}'`, `${number} is a number for readers of YAML 1.1`)
  }
  t.equal(change(own, { own: null }), 'x: 1')
  t.equal(change('x: 1', { own: { type: 'tutorial', own: { a: 1 } } }), 'x: 1\ntype: tutorial\nown:\n  a: 1')
  t.equal(change('category: Big News', { categories: ['big-news', 'Other'] }), 'category:\n  - Big News\n  - Other')
  t.equal(change('category: Big News', { categories: ['other'] }), 'category: other')
  t.equal(change('tags: [Node.js, Web]', { tags: ['web', 'node-js'] }), 'tags: [Web, Node.js]')
  t.equal(change('x: 1', { tags: [], title: null, aliases: [] }), 'x: 1')
  t.equal(change('headline: a', { summary: 'b' }), 'headline: b')
  t.equal(change('date: 2024-01-01\npublished_at: 2024-01-02\nx: 1', { published_at: null }), 'x: 1')
  t.equal(
    status(() => change('x: 1', { published_at: 'soon' })),
    422,
  )
  t.equal(
    status(() => edit('---\na: [\n---\n', { title: 'x' })),
    422,
    'an unreadable file is left alone',
  )
})

t.test('TOML and JSON are spliced as well', async (t) => {
  const toml = (head: string, set: Fields) => edit(`+++\n${head}\n+++\n`, set).slice(4, -5)
  t.equal(toml("title = 'One' # x\n[a]\nb = 1", { title: 'Two', n: 1 }), "title = 'Two' # x\nn = 1\n[a]\nb = 1")
  t.equal(toml('date = 2024-01-01T00:00:00Z', { published_at: '2024-02-01T00:00:00.000Z' }), 'date = 2024-02-01T00:00:00.000Z')
  t.equal(toml('[a]\nb = 1\n[c]\nd = 1', { a: { b: 2, e: 'x' } }), '[a]\nb = 2\ne = "x"\n[c]\nd = 1')
  t.equal(toml('[[m]]\nn = 1\n[[m]]\nn = 2', { m: [{ n: 1 }, { n: 3 }] }), '[[m]]\nn = 1\n[[m]]\nn = 3')
  const json = (head: string, set: Fields) => edit(`---json\n${head}\n---\n`, set).slice(8, -5)
  t.equal(json('{\n  "a": 1,\n  "b": [1, 2]\n}', { b: [2], c: 'x' }), '{\n  "a": 1,\n  "b": [2],\n  "c": "x"\n}')
  t.equal(json('{"a": 1, "b": 2}', { a: null }), '{"b": 2}')
  t.equal(json('{"a": 1, "b": 2}', { b: null }), '{"a": 1}')
  t.equal(json('{}', { a: 1 }), '{\n  "a": 1\n}')
})

longTest('the body is its own part', async (t) => {
  const put = (text: string, body: string, form = md) => editSource(shape, Buffer.from(text), form, { body }, key).toString()
  t.equal(put('---\na: "1"\n---\n\nOld\n', 'New\n'), '---\na: "1"\n---\n\nNew\n')
  t.equal(put('---\na: 1\n---\nOld\n', 'New'), '---\na: 1\n---\nNew', 'no empty line where the author has none')
  t.equal(put('---\r\na: 1\r\n---\r\n\r\nOld\r\n', 'New\ntext\n'), '---\r\na: 1\r\n---\r\n\r\nNew\r\ntext\r\n')
  t.equal(put('---\r\na: 1\r\n---\r\nOld\r\n', 'Old\n'), '---\r\na: 1\r\n---\r\nOld\r\n', 'line ends alone are no change')
  t.equal(put('---\na: 1\n---', 'New'), '---\na: 1\n---\n\nNew')
  t.equal(put('old', '---\nnew'), '---\n---\n\n---\nnew')
  t.equal(edit('just text', { title: 'x' }), '---\ntitle: x\n---\n\njust text')
  t.equal(put('a: 1 # x\nbody: |\n  Old\n', 'New\n', { extension: 'yml' }), 'a: 1 # x\nbody: |\n  New\n')
  fc.assert(
    fc.property(written, fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\r\n', '-', '+', 'é', '#') }), ({ text }, body) => {
      const made = Buffer.from(put(text, body))
      const before = read(text)
      deepStrictEqual([read(made).body, read(made).fields.x], [body.replace(/\r\n/g, '\n'), before.fields.x])
      return made.toString().startsWith(text.slice(0, text.length - before.body.length - 10 > 0 ? 3 : 0))
    }),
    { numRuns: 300 },
  )
  t.equal(
    status(() => put('x', 'y'.repeat(2 * 1024 * 1024 + 1))),
    422,
  )
  t.equal(
    status(() => put('x', 'a\0b')),
    422,
  )
  t.equal(
    status(() => put('x', '\ud800')),
    422,
  )
})

t.test('a new file is composed', async (t) => {
  const make = (set: Fields, body?: string, form = md) =>
    editSource(shape, undefined, form, { set, ...(body !== undefined && { body }) }, key).toString()
  t.equal(
    make(
      {
        tags: ['A b'],
        excerpt: 'two\nlines',
        status: 'draft',
        title: 'Hello: world',
        slug: 'hello-world',
        none: null,
        published_at: '2026-01-01T00:00:00.000Z',
      },
      '# Hi',
    ),
    "---\ntitle: 'Hello: world'\nstatus: draft\npublished_at: 2026-01-01T00:00:00.000Z\ntags:\n  - A b\nexcerpt: |-\n  two\n  lines\n---\n\n# Hi",
  )
  t.equal(make({ title: 'Hello world', slug: 'other' }), '---\ntitle: Hello world\nslug: other\n---\n')
  t.equal(make({ title: 'x' }, 'Body\n', { extension: 'yaml' }), 'title: x\nbody: |\n  Body\n')
  t.equal(make({}), '---\n---\n')
  const source = Buffer.from('---\ntitle: One # x\n---\n\nBody\n')
  t.equal(
    editSource(shape, Buffer.from('---\na: ['), md, { source, set: { title: 'Two' } }, key).toString(),
    '---\ntitle: Two # x\n---\n\nBody\n',
  )
  t.equal(editSource(shape, source, md, {}, key), source, 'nothing to do')
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c-d', 'e f', 'yes', '1'), newValue), fc.string(), (set, body) => {
      const made = read(Buffer.from(make({ ...set, title: 'T' }, body)))
      const { title, slug, status, ...rest } = made.fields
      deepStrictEqual([title, slug, status, rest], ['T', 'hello-world', 'published', JSON.parse(JSON.stringify(set))])
      deepStrictEqual(made.body, body)
    }),
    { numRuns: 200 },
  )
})

t.test('a long file is changed by lines: those of the key alone, in the style that is there', async (t) => {
  const filler = Array.from({ length: 6000 }, (_, n) => `  - { name: n${n}, url: "/x" }\n`).join('')
  const text = `---\n# first\ntitle: "Old"\ntags:\n- a\n- b\n\n# between\nlist:\n${filler}note: |\n  two\n  lines\nsummary: x # a remark\n---\n\nBody\n`
  const made = (set: Fields) => edit(text, set)
  t.equal(made({ title: 'New' }), text.replace('"Old"', '"New"'))
  t.equal(made({ tags: ['a', 'c'] }), text.replace('- b', '- c'))
  t.equal(
    made({ note: 'one\ntwo\n', extra: 1 }),
    text.replace('  two\n  lines\n', '  one\n  two\n').replace('\n---\n\nB', '\nextra: 1\n---\n\nB'),
  )
  t.equal(made({ note: null }), text.replace('note: |\n  two\n  lines\n', ''))
  t.throws(
    () => made({ summary: 'y' }),
    { message: /can't be changed safely/, hint: 'Change it in the file itself.' },
    'a remark would be lost',
  )
  const anchored = text.replace('title: "Old"', 'title: &t "Old"')
  t.equal(
    status(() => edit(anchored, { tags: ['c'] })),
    422,
    'what only the whole parser reads, and too slowly',
  )
})
