import { deepStrictEqual, strictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { WordList } from '#fulltext/word-list.ts'
import { longTest } from '#support/long.ts'

const letter = fc.constantFrom(...'abcé東𠀀')
const word = fc.array(letter, { maxLength: 7 }).map((letters) => letters.join(''))
const words = fc.array(word, { maxLength: 60 })

/** Optimal string alignment, as it is defined. */
function distanceOf(a: readonly string[], b: readonly string[]): number {
  const at = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j
    const cell = Math.min(known(i - 1, j) + 1, known(i, j - 1) + 1, known(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1))
    const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
    return isExchanged ? Math.min(cell, known(i - 2, j - 2) + 1) : cell
  }
  const cells = new Map<string, number>()
  const known = (i: number, j: number): number => {
    const cell = cells.get(`${i} ${j}`) ?? at(i, j)
    cells.set(`${i} ${j}`, cell)
    return cell
  }
  return at(a.length, b.length)
}

t.test('a list has its words once, by their bytes, wherever the bytes lie', async (t) => {
  const property = fc.property(words, word, (words, other) => {
    const sorted = [...new Set(words)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const made = WordList.of(words)
    const bytes = new Uint8Array(new SharedArrayBuffer(made.bytes.length))
    bytes.set(made.bytes)
    for (const list of [made, new WordList(bytes, made.ends)]) {
      deepStrictEqual(
        Array.from({ length: list.length }, (_, i) => list.word(i)),
        sorted,
      )
      for (const [i, word] of sorted.entries()) strictEqual(list.find(word), i)
      if (!sorted.includes(other)) strictEqual(list.find(other), -1)
      const { from, to } = list.beginning(other)
      deepStrictEqual(
        sorted.slice(from, to),
        sorted.filter((word) => word.startsWith(other)),
      )
    }
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }))
})

t.test('the words near a word are all those within the edits', async (t) => {
  const property = fc.property(words, word, fc.constantFrom<1 | 2>(1, 2), (words, word, edits) => {
    const list = WordList.of(words)
    const near = list.near(word, edits).map(({ index, distance }) => [list.word(index), distance])
    const all = Array.from({ length: list.length }, (_, i): [string, number] => [
      list.word(i),
      distanceOf([...list.word(i)], [...word]),
    ])
    deepStrictEqual(
      near,
      all.filter(([, distance]) => distance <= edits),
    )
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000 }))
  const list = WordList.of(['form', 'from', 'forms', 'farms', 'fro', ''])
  t.strictSame(
    list.near('form', 1).map(({ index, distance }) => `${list.word(index)} ${distance}`),
    ['form 0', 'forms 1', 'from 1'],
  )
})

longTest('the words near a word are found among 100,000 without looking at each', async (t) => {
  const all = Array.from({ length: 100_000 }, (_, i) => `${((i * 2_654_435_761) % 4_294_967_296).toString(36)}${i % 97}`)
  const list = WordList.of(all)
  const asked = all.filter((_, i) => i % 2000 === 0)
  const before = process.cpuUsage()
  for (const word of asked) t.ok(list.near(`${word.slice(0, 3)}!${word.slice(4)}`, 2).length > 0)
  const { user, system } = process.cpuUsage(before)
  t.ok((user + system) / 1000 / asked.length < 60, `${(user + system) / 1000 / asked.length} ms each`)
})
