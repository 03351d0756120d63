import fc from 'fast-check'
import t from 'tap'
import { type Hunk, lineDiff } from '#lib/text/line-diff.ts'

function hunksOf(before: string, after: string): Hunk[] {
  const hunks = lineDiff(before, after)
  if (!hunks) throw new Error('There are no hunks.')
  return hunks
}

/** Makes the later text of the earlier one; throws where a hunk does not fit. */
function applied(before: string, hunks: readonly Hunk[]): string {
  const lines = before === '' ? [] : before.split(/(?<=\n)/)
  const made: string[] = []
  let at = 0
  for (const hunk of hunks) {
    const start = hunk.before_count > 0 ? hunk.before_start - 1 : hunk.before_start
    made.push(...lines.slice(at, start))
    at = start
    if (made.length !== hunk.after_start - (hunk.after_count > 0 ? 1 : 0)) throw new Error('The later text is elsewhere.')
    for (const { op, text, no_newline } of hunk.lines) {
      const line = no_newline ? text : `${text}\n`
      if (op !== 'add' && lines[at++] !== line) throw new Error(`"${line}" is not there.`)
      if (op !== 'remove') made.push(line)
    }
    const count = (op: string) => hunk.lines.filter((line) => line.op !== op).length
    if (count('add') !== hunk.before_count || count('remove') !== hunk.after_count) throw new Error('The counts are wrong.')
  }
  return [...made, ...lines.slice(at)].join('')
}

t.test('the hunks make the one text of the other', async (t) => {
  const text = fc
    .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', 'd d'), { maxLength: 40 }), fc.boolean())
    .map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const hunks = hunksOf(before, after)
      if (applied(before, hunks) !== after) throw new Error(JSON.stringify(hunks))
      return (before === after) === (hunks.length === 0)
    }),
    { numRuns: 2000 },
  )
  t.pass('held')
})

t.test('neighbours are told together, what is apart is not', async (t) => {
  const lines = Array.from({ length: 40 }, (_, n) => `${n}\n`)
  const changed = lines.map((line, n) => ([5, 12, 20].includes(n) ? `new ${line}` : line))
  t.same(
    hunksOf(lines.join(''), changed.join('')).map((hunk) => [
      hunk.before_start,
      hunk.before_count,
      hunk.after_start,
      hunk.after_count,
    ]),
    [
      [3, 14, 3, 14],
      [18, 7, 18, 7],
    ],
  )
  t.same(hunksOf('', 'One.\n'), [
    { before_start: 0, before_count: 0, after_start: 1, after_count: 1, lines: [{ op: 'add', text: 'One.' }] },
  ])
  t.same(hunksOf('One.\n', 'One.')[0]?.lines, [
    { op: 'remove', text: 'One.' },
    { op: 'add', text: 'One.', no_newline: true },
  ])
})

t.test('texts with nothing in common come as one hunk, and very long ones have none', async (t) => {
  const many = (word: string, count: number) => Array.from({ length: count }, (_, n) => `${word} ${n}\n`).join('')
  for (const count of [3000, 10_000]) {
    const [before, after] = [`Same.\n${many('old', count)}End.\n`, `Same.\n${many('new', count)}End.\n`]
    const hunks = hunksOf(before, after)
    t.same([hunks.length, hunks[0]?.before_count, hunks[0]?.after_count], [1, count + 2, count + 2])
    t.ok(applied(before, hunks) === after)
  }
  const long = many('line', 100_000)
  t.equal(hunksOf(long, long.replace('line 50000\n', 'other\n'))[0]?.lines.length, 8, 'one line of many is told alone')
  t.equal(lineDiff('', many('new', 20_001)), undefined, 'over 20,000 lines are not told one by one')
  t.equal(lineDiff(many('old', 10_001), many('new', 10_001)), undefined, 'of both texts together')
})
