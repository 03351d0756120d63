import fc from 'fast-check'
import t from 'tap'
import { LogParser } from '#git/history/log.ts'

t.test('what git says is read however it is cut', async (t) => {
  const bytes = Buffer.from(
    [
      'a'.repeat(40),
      '',
      'Zoë',
      'z@x',
      '5',
      ':no\nmeta\n\n:100644\n',
      `\n:000000 100644 ${'0'.repeat(40)} ${'b'.repeat(40)} A`,
      'é, x.md',
    ]
      .concat([
        `:100644 000000 ${'b'.repeat(40)} ${'0'.repeat(40)} D`,
        ':odd.md',
        'c'.repeat(40),
        `${'a'.repeat(40)} ${'d'.repeat(40)}`,
      ])
      .concat(['', '', '6', '', '', `::100644 100644 100644 ${'1'.repeat(40)} ${'2'.repeat(40)} ${'3'.repeat(40)} MM`, 'm.md'])
      .concat(['e'.repeat(40), 'c'.repeat(40), 'A', 'a', '7', 'nothing in it'])
      .join('\0')
      .concat('\0'),
  )
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: bytes.length }), { maxLength: 12 }), (cuts) => {
      const parser = new LogParser()
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      const all = places.slice(1).flatMap((end, n) => parser.push(bytes.subarray(places[n], end)))
      all.push(...parser.end())
      t.match(all, [
        { name: 'Zoë', seconds: 5, parents: [], message: ':no\nmeta\n\n:100644\n' },
        { parents: ['a'.repeat(40), 'd'.repeat(40)], message: '' },
        { message: 'nothing in it', changes: [] },
      ])
      t.same(all[0]?.changes, [
        { path: 'é, x.md', blob: 'b'.repeat(40), isNew: true },
        { path: ':odd.md', blob: undefined, isNew: false },
      ])
      t.same(all[1]?.changes, [{ path: 'm.md', blob: '3'.repeat(40), isNew: false }])
    }),
    { numRuns: 30 },
  )
})
