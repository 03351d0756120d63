import fc from 'fast-check'
import t from 'tap'
import { withoutDepths } from '#lib/text/html-depths.ts'

t.test('what people write is as it was, and what is senselessly deep is its text', (t) => {
  const nested = (open: string, times: number, close = '') => `${open.repeat(times)}x${close.repeat(times)}`
  t.equal(withoutDepths(nested('<b>', 500, '</b>')), nested('<b>', 500, '</b>'))
  t.equal(withoutDepths(nested('<b>', 600, '</b>')), `${'<b>'.repeat(500)}x${'</b>'.repeat(600)}`)
  t.equal(withoutDepths(nested('<p>', 9000)), nested('<p>', 9000), 'one ends the one before')
  t.equal(withoutDepths(nested('<br>', 9000)), nested('<br>', 9000))
  t.equal(withoutDepths(nested('<i>a</i>', 9000)), nested('<i>a</i>', 9000))
  const table = `<table>${'<tr><td>a<td>b'.repeat(3000)}</table>`
  t.equal(withoutDepths(table), table)
  for (const hidden of ['<script>', '<TEMPLATE>', '<div hidden>', '<p style="display:none">'])
    t.equal(withoutDepths(`${'<b>'.repeat(500)}a${hidden}b`), `${'<b>'.repeat(500)}a`, hidden)
  t.equal(withoutDepths(`${'<b>'.repeat(500)}<b`), '<b>'.repeat(500))
  t.end()
})

t.test('nothing becomes deeper, and nothing comes to be', (t) => {
  const parts = fc.array(fc.constantFrom('<b>', '</b>', '<div>', '</div>', '<li>', '<p>', '<constructor>', 'x', '<!--', '-->'), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 200 }), (words, times) => {
      const html = words.join('').repeat(times)
      const made = withoutDepths(html)
      return made.length <= html.length && made.split('x').length === html.split('x').length
    }),
  )
  t.end()
})
