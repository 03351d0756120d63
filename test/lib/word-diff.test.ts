import fc from 'fast-check'
import t from 'tap'
import { wordDiff } from '#lib/text/word-diff.ts'

const side = (before: string, after: string, left: 'add' | 'del') =>
  wordDiff(before, after)
    .filter(({ kind }) => kind !== left)
    .map(({ text }) => text)
    .join('')

t.test('the words of a difference are those of both texts', async (t) => {
  const text = fc
    .array(fc.constantFrom('a', 'tide', ' ', '\n', '.', 'größe', '水', ' '), { maxLength: 30 })
    .map((words) => words.join(''))
  fc.assert(fc.property(text, text, (one, other) => side(one, other, 'add') === one && side(one, other, 'del') === other))
  t.same(wordDiff('lasts fifteen minutes', 'lasts at least twenty minutes'), [
    { kind: 'same', text: 'lasts ' },
    { kind: 'del', text: 'fifteen' },
    { kind: 'add', text: 'at least twenty' },
    { kind: 'same', text: ' minutes' },
  ])
  t.same(wordDiff('', ''), [])
})

t.test('long texts that have nothing in common take no time', async (t) => {
  const [one, other] = ['a b '.repeat(100_000), 'c d '.repeat(100_000)]
  const began = process.cpuUsage().user
  t.same(
    wordDiff(one, other).map(({ kind }) => kind),
    ['del', 'add', 'same'],
  )
  t.equal(wordDiff(' '.repeat(90_000), ` ${' '.repeat(90_000)}x`).at(-1)?.kind, 'add')
  t.equal(wordDiff(one.slice(0, 90_000), other.slice(0, 90_000)).filter(({ kind }) => kind !== 'same').length > 0, true)
  t.ok(process.cpuUsage().user - began < 2_000_000)
})
