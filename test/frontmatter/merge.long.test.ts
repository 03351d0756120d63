import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { merge, mergeText, textParts } from '#frontmatter/merge.ts'
import type { Fields, Json } from '#lib/json.ts'
import { merge3 } from '#lib/text/diff3.ts'
import { cpuMs } from '#support/cpu.ts'

const names = ['title', 'tags', 'excerpt', 'note', 'count']
const value = fc.oneof(fc.constantFrom<Json>('a', 'b', 1, null, true), fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }))
const record = fc.record(Object.fromEntries(names.map((name) => [name, value]))) as fc.Arbitrary<Fields>
const paragraph = fc.constantFrom('One line.', 'Two\nlines.', 'Three.', '- a\n- b', '# Head')
const text = fc.array(paragraph, { minLength: 1, maxLength: 6 }).map((parts) => `${parts.join('\n\n')}\n`)

t.test('edits of different fields both stay, the same edit is no conflict, others are listed and nothing is set', async (t) => {
  fc.assert(
    fc.property(
      record,
      fc.dictionary(fc.constantFrom(...names), value),
      fc.dictionary(fc.constantFrom(...names), value),
      (base, yours, changes) => {
        const theirs: Fields = { ...base, ...changes }
        const { fields, conflicts } = merge({ fields: base, body: '' }, { fields: yours }, { fields: theirs, body: '' })
        const changed = (side: Fields, name: string) => name in side && JSON.stringify(side[name]) !== JSON.stringify(base[name])
        const both = names.filter(
          (name) => changed(yours, name) && changed(theirs, name) && JSON.stringify(yours[name]) !== JSON.stringify(theirs[name]),
        )
        deepStrictEqual([...conflicts].sort(), both.sort())
        if (both.length > 0) return deepStrictEqual(fields, {})
        for (const name of names)
          deepStrictEqual({ ...theirs, ...fields }[name], changed(yours, name) ? yours[name] : theirs[name], name)
      },
    ),
    { numRuns: 1000 },
  )
  t.pass('held')
})

t.test('edits of different paragraphs both stay, of one paragraph they are a conflict', async (t) => {
  fc.assert(
    fc.property(text, fc.nat(5), fc.nat(5), (body, i, j) => {
      const parts = body.trimEnd().split('\n\n')
      const change = (at: number, word: string) =>
        `${parts.map((part, k) => (k === at % parts.length ? `${part} ${word}` : part)).join('\n\n')}\n`
      const merged = mergeText(body, change(i, 'mine'), change(j, 'theirs'))
      if (i % parts.length === j % parts.length) return deepStrictEqual(merged, undefined)
      deepStrictEqual([merged?.split('mine').length, merged?.split('theirs').length], [2, 2])
      deepStrictEqual(merged?.replace(/ (?:mine|theirs)/g, ''), body)
    }),
    { numRuns: 1000 },
  )
  t.pass('held')
})

t.test('bodies', async (t) => {
  const base = 'One.\n\nTwo.\n\nThree.\n'
  t.equal(mergeText(base, 'One!\n\nTwo.\n\nThree.\n', 'One.\n\nTwo.\n\nThree?\n'), 'One!\n\nTwo.\n\nThree?\n')
  t.equal(mergeText(base, `${base}\nFour.\n`, `Zero.\n\n${base}`), `Zero.\n\n${base}\nFour.\n`)
  t.equal(
    mergeText(base, 'One!\n\nTwo.\n\nThree.\n', 'One.\n\nTwo!\n\nThree.\n'),
    'One!\n\nTwo!\n\nThree.\n',
    'paragraphs side by side',
  )
  t.equal(
    mergeText(base, 'New.\n\nOne.\n\nTwo.\n\nThree.\n', 'One.\n\nTwo.\n\nThree?\n'),
    'New.\n\nOne.\n\nTwo.\n\nThree?\n',
    'one added, another changed',
  )
  t.equal(mergeText(base, 'One.\n\nThree.\n', 'One!\n\nTwo.\n\nThree.\n'), 'One!\n\nThree.\n', 'one taken out, another changed')
  t.equal(mergeText(base, 'One.\n\nThree.\n', 'One.\n\nTwo!\n\nThree.\n'), undefined, 'taken out and changed')
  t.equal(mergeText(base, base, 'x'), 'x')
  t.equal(mergeText(base, 'x', base), 'x')
  t.equal(mergeText(base, 'x', 'x'), 'x')
  t.equal(mergeText(base, 'One a.\n\nTwo.\n\nThree.\n', 'One b.\n\nTwo.\n\nThree.\n'), undefined)
  t.equal(mergeText('a\nb\n', 'A\nb\n', 'a\nB\n'), undefined, 'two lines of one paragraph')
  t.strictSame(merge({ fields: { a: 1 }, body: base }, { fields: { a: 2 }, body: 'x' }, { fields: { a: 1 }, body: 'y' }), {
    fields: {},
    conflicts: ['body'],
  })
  t.strictSame(merge({ fields: {}, body: base }, { fields: { a: null }, body: 'x' }, { fields: {}, body: base }), {
    fields: {},
    body: 'x',
    conflicts: [],
  })
})

t.test('diff3 agrees with what a person would do, and ends soon', async (t) => {
  const list = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })
  fc.assert(
    fc.property(list, list, (base, other) => {
      deepStrictEqual(merge3(base, other, base), other)
      deepStrictEqual(merge3(base, base, other), other)
      deepStrictEqual(merge3(base, other, other), other)
    }),
    { numRuns: 2000 },
  )
  const many = Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? 'same' : '\n\n'))
  const begun = cpuMs()
  t.equal(merge3(many, ['new', ...many], [...many, 'end'])?.length, many.length + 2)
  t.equal(
    merge3(
      many,
      many.map((_, i) => `x${i}`),
      [...many, 'end'],
    ),
    undefined,
    'nothing in common',
  )
  t.ok(cpuMs() - begun < 5000)
  const long = (length: number) => Array.from({ length }, (_, i) => (i % 200 === 0 ? `marked ${i}` : 'same'))
  t.ok(merge3(long(90_000), ['new', ...long(90_000)], long(90_000)), 'a long one with a change')
  const lines = (count: number, first: string, last: string) => `${first}\n\n${'a\n'.repeat(count)}\n${last}`
  const both = (count: number) => mergeText(lines(count, 'b', 'b'), lines(count, 'ours', 'b'), lines(count, 'b', 'theirs'))
  t.ok(both(100_000) === lines(100_000, 'ours', 'theirs'), 'a text of many lines')
  t.ok(both(300_000) === undefined, 'one of too many')
  t.notOk(merge3(long(500_000), ['new', ...long(500_000)], long(500_000)), 'two that are too long')
})

t.test('a text that two edited is taken apart into what agrees and what meets', async (t) => {
  const base = 'One.\n\nTwo.\n\nThree.\n'
  t.same(textParts(base, 'One!\n\nTwo.\n\nThree.\n', 'One.\n\nTwo.\n\nThree!\n'), [{ merged: 'One!\n\nTwo.\n\nThree!\n' }])
  const parts = textParts(base, 'One!\n\nMine.\n\nThree.\n', 'One.\n\nTheirs.\n\nThree?\n')
  t.same(parts, [{ merged: 'One!\n\n' }, { before: 'Two.', yours: 'Mine.', theirs: 'Theirs.' }, { merged: '\n\nThree?\n' }])
  t.same(textParts(undefined, 'Same.\n\nMine.', 'Same.\n\nTheirs.'), [
    { merged: 'Same.\n\n' },
    { before: '', yours: 'Mine.', theirs: 'Theirs.' },
  ])
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 }).map((all) => all.join('\n\n'))
  fc.assert(
    fc.property(fc.option(text, { nil: undefined }), text, text, (before, yours, theirs) => {
      const found = textParts(before, yours, theirs)
      const isMerged = yours === theirs || (before !== undefined && mergeText(before, yours, theirs) !== undefined)
      const meets = found.some((part) => !('merged' in part))
      // Where nothing was before, taking one side all along gives that side.
      const side = (name: 'yours' | 'theirs') => found.map((part) => ('merged' in part ? part.merged : part[name])).join('')
      return isMerged ? !meets : meets && (before !== undefined || (side('yours') === yours && side('theirs') === theirs))
    }),
  )
})
