import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { dataAfter } from '#frontmatter/edits.ts'
import { withKeys } from '#frontmatter/keys.ts'
import { readFrontMatter } from '#frontmatter/read.ts'
import { spliceToml } from '#frontmatter/toml/splice.ts'
import { readToml } from '#frontmatter/toml/toml.ts'
import type { Fields, Json } from '#lib/json.ts'
import { longTest } from '#support/long.ts'

const read = (bytes: Buffer) => {
  const found = readFrontMatter(bytes, { extension: 'md' })
  if ('fault' in found) throw new Error(found.fault.message)
  return found
}
/** Null removes a key. */
const editsOf = (set: Fields) => new Map(Object.entries(set).map(([key, value]) => [key, value ?? undefined]))

const edit = (head: string, set: Fields, eol = '\n') => {
  const text = `+++\n${head}\n+++\nBody\n`.replaceAll('\n', eol)
  const bytes = Buffer.from(text)
  const [before, edits] = [read(bytes), editsOf(set)]
  const written = withKeys(bytes, before, edits)
  deepStrictEqual(read(written).data, dataAfter(before.data, edits))
  const made = written.toString()
  if (eol !== '\n' && /(?<!\r)\n/.test(made)) throw new Error(`mixed line ends: ${JSON.stringify(made)}`)
  return made.replaceAll(eol, '\n').slice(4, -9).replace(/\n$/, '')
}

t.test('a table that stands in one place is removed and set there', async (t) => {
  const head = 'title = "A" # x\n# of a\n[a] # y\nb = 1\n\n[a.c]\nd = 2\n# of e\n[e]\nf = 1'
  t.equal(edit(head, { a: null }), 'title = "A" # x\n# of a\n# of e\n[e]\nf = 1')
  t.equal(edit(head, { e: null }), 'title = "A" # x\n# of a\n[a] # y\nb = 1\n\n[a.c]\nd = 2\n# of e')
  t.equal(edit(head, { e: 'x' }), 'title = "A" # x\ne = "x"\n# of a\n[a] # y\nb = 1\n\n[a.c]\nd = 2\n# of e')
  t.equal(edit(head, { e: {} }), head.replace('[e]\nf = 1', '[e]'))
  t.equal(edit(head, { a: { b: 1, c: { d: 3 } } }), head.replace('d = 2', 'd = 3'))
  t.equal(edit(head, { a: { b: 1 } }), head.replace('[a.c]\nd = 2\n', ''))
  t.equal(edit(head, { a: { b: 1, c: { d: 2, g: 'x' } } }), head.replace('d = 2', 'd = 2\ng = "x"'))
  t.equal(
    edit(head, { a: [{ n: 1 }, { n: 2, m: { o: 1 } }] }),
    head.replace(/\[a\] # y[^#]*/, '[[a]]\nn = 1\n[[a]]\nn = 2\n[a.m]\no = 1\n'),
  )
  t.equal(edit('[a]\nb = 1', { a: null, title: 'x' }), 'title = "x"')
  t.equal(edit('[a.b]\nc = 1', { a: { b: { c: 1 }, d: 2 } }), '[a]\nd = 2\n[a.b]\nc = 1')
  t.equal(edit('a.b = 1 # x\n[e]\nf = 1', { a: { b: 1, c: 2 } }), 'a.b = 1 # x\na.c = 2\n[e]\nf = 1')
  t.equal(edit('a.b = 1\nx = 1\na.c = 2', { a: null }), 'x = 1')
  t.equal(edit('a = { b = 1 } # x', { a: { b: 1, c: 2 } }), 'a = { b = 1, c = 2 } # x')
  t.equal(edit('[x]\ny = 1\n[a]\nb = 1\n[x.z]\nc = 1', { x: null }), '[a]\nb = 1', 'in two places')
})

t.test('a list of tables keeps the tables that stay', async (t) => {
  const head = '[[m]]\nn = 1 # one\n[m.sub]\nx = 1\n\n# two\n[[m]]\nn = 2\n[z]\ny = 1'
  const one = { n: 1, sub: { x: 1 } }
  t.equal(edit(head, { m: null }), '[z]\ny = 1')
  t.equal(edit(head, { m: [] }), 'm = []\n[z]\ny = 1')
  t.equal(edit(head, { m: [one] }), '[[m]]\nn = 1 # one\n[m.sub]\nx = 1\n\n# two\n[z]\ny = 1')
  t.equal(edit(head, { m: [{ n: 2 }] }), '\n# two\n[[m]]\nn = 2\n[z]\ny = 1')
  t.equal(edit(head, { m: [one, { n: 2 }, { n: 3, a: ['x'] }] }), head.replace('n = 2\n', 'n = 2\n[[m]]\nn = 3\na = ["x"]\n'))
  t.equal(edit(head, { m: [{ n: 0 }, one, { n: 2 }] }), `[[m]]\nn = 0\n${head}`)
  t.equal(edit(head, { m: [one, { n: 9 }, { n: 3 }] }), head.replace('n = 2\n', 'n = 9\n[[m]]\nn = 3\n'))
  t.equal(
    edit('[[m]]\nn = 1\n\n[[m]]\nn = 2', { m: [{ n: 1 }, { n: 2 }, { n: 3 }] }),
    '[[m]]\nn = 1\n\n[[m]]\nn = 2\n\n[[m]]\nn = 3',
  )
  t.equal(
    edit('[[m]]\n[[m.k]]\nn = 1\n[[m]]\n[[m.k]]\nn = 2', { m: [{ k: [{ n: 1 }, { n: 5 }] }, { k: [{ n: 2 }] }] }),
    '[[m]]\n[[m.k]]\nn = 1\n[[m.k]]\nn = 5\n[[m]]\n[[m.k]]\nn = 2',
  )
})

const name = fc.constantFrom('a', 'b', 'c-d', 'x y', 'é')
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom('x', 'two\nlines', '# no', '[no]', '', 'it\'s "so"'),
  fc.integer(),
  fc.boolean(),
)
const plain = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }))
const flat = fc.dictionary(name, plain, { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<Fields>
const table = fc
  .tuple(flat, fc.option(fc.tuple(fc.constantFrom('in', 'on'), fc.oneof(flat, fc.array(flat, { minLength: 1, maxLength: 2 })))))
  .map(([own, inner]): Fields => (inner ? { ...own, [inner[0]]: inner[1] } : own))
const tables = fc.array(table, { minLength: 1, maxLength: 3 })
const value: fc.Arbitrary<Json> = fc.oneof(table, tables, plain, fc.constant(null), fc.constant<Json>([]))

/** Lines of TOML, written by hand as it were: with remarks and empty lines, values on one line. */
function lines(path: string[], held: Fields | Fields[], rest: string): string[] {
  if (Array.isArray(held)) return held.flatMap((item) => block(path, item, ['[[', ']]'], rest))
  return block(path, held, ['[', ']'], rest)
}

function block(path: string[], held: Fields, [open, close]: [string, string], rest: string): string[] {
  const isTable = (item: Json) =>
    item !== null &&
    typeof item === 'object' &&
    (!Array.isArray(item) || (item.length > 0 && typeof item[0] === 'object' && !Array.isArray(item[0])))
  const entries = Object.entries(held)
  return [
    ...(rest === '' ? [] : [rest]),
    `${open}${path.map((step) => JSON.stringify(step)).join(' . ')}${close} # here`,
    ...entries
      .filter(([, item]) => !isTable(item))
      .map(([step, item]) => `  ${JSON.stringify(step)} = ${JSON.stringify(item)}${rest && ' # so'}`),
    ...entries.filter(([, item]) => isTable(item)).flatMap(([step, item]) => lines([...path, step], item as Fields, rest)),
  ]
}

longTest('whatever is set, all else stays as it was written', async (t) => {
  const entry = fc.tuple(fc.oneof(table, tables), fc.constantFrom('', ' ', '# of it'))
  fc.assert(
    fc.property(
      fc.tuple(flat, entry, entry, entry),
      fc.constantFrom('one', 'two', 'three'),
      value,
      fc.constantFrom('\n', '\r\n'),
      ([top, ...parts], which, to, eol) => {
        const names = ['one', 'two', 'three']
        const texts = parts.map(([held, rest], i) => lines([names[i] ?? ''], held, rest).join('\n'))
        const first = Object.entries(top).map(([step, item]) => `${JSON.stringify(step)} = ${JSON.stringify(item)} # top`)
        const head = [...first, ...texts].join('\n')
        const before = readToml(head)
        const after = edit(head, { [which]: to }, eol)
        const { [which]: _, ...others } = before
        deepStrictEqual(readToml(after), to === null ? others : { ...others, [which]: to })
        const at = names.indexOf(which)
        for (const [i, text] of texts.entries())
          if (i !== at && !after.includes(text.trimStart())) throw new Error(`noise in ${i}:\n${after}`)
        for (const line of first) if (!after.includes(line)) throw new Error(`noise at the top:\n${after}`)
      },
    ),
    { numRuns: 1500 },
  )
  t.pass('held')
})

t.test('many changes at once take no longer than the text is long', (t) => {
  const list = Array.from({ length: 1000 }, (_, n) => ({ k: `k${n}` }))
  const text = list.map(({ k }) => `[[l]] # a remark\nk = "${k}"\n\n`).join('')
  const set = (l: { k: string }[]) => () => spliceToml(text, { l: list }, 'l', l, '\n')
  for (const made of [
    list.map(({ k }) => ({ k: `${k}!` })),
    list.slice(0, 10),
    [...list, ...list],
    list.filter((_, n) => n < 300 || n >= 700),
  ]) {
    const before = process.cpuUsage()
    const changed = set(made)()
    const { user, system } = process.cpuUsage(before)
    t.ok(user + system < 500_000, `${(user + system) / 1000} ms`)
    t.same(readToml(changed), { l: made })
  }
  t.match(set(list.slice(0, 10))(), /# a remark/, 'what stays is as it was')
  t.end()
})
