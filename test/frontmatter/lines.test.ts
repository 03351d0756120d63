import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { unifiedLines, withLineEnds } from '#frontmatter/lines.ts'

t.test('line ends of all kinds in one text are one', async (t) => {
  const piece = fc.constantFrom('\r', '\n', '\r\n', 'a', 'é', '👋', '')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom('\n', '\r\n', '\r'), (pieces, eol) => {
      const text = pieces.join('')
      const unified = unifiedLines(Buffer.from(text))
      deepStrictEqual(unified.toString(), text.replace(/\r\n?/g, '\n'))
      deepStrictEqual(withLineEnds(unified, eol).toString(), unified.toString().replaceAll('\n', eol))
    }),
    { numRuns: 1000 },
  )
  t.pass('held')
})
