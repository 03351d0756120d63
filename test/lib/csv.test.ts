import t from 'tap'
import { prefersCsv } from '#lib/accept.ts'
import { csvOf } from '#lib/text/csv.ts'

t.test('rows are CSV by RFC 4180, and no cell is a formula', async (t) => {
  t.equal(
    csvOf([
      ['a', 1, -2],
      ['b,c', 'say "x"', 'two\nlines'],
    ]),
    'a,1,-2\r\n"b,c","say ""x""","two\nlines"\r\n',
  )
  const hostile = ['=1+1', '+1', '-1', '@x', '\tx', '\r=x', '=HYPERLINK("http://x","y")']
  const cells = hostile.map((cell) => csvOf([[cell]]).replace(/^"/, ''))
  t.strictSame(
    cells.filter((cell) => !cell.startsWith("'")),
    [],
  )
  t.equal(csvOf([['plain', 'a=b', 'x@y.example']]), 'plain,a=b,x@y.example\r\n')
  t.equal(csvOf([]), '')
})

t.test('CSV is answered to those who name it', async (t) => {
  for (const header of ['text/csv', 'text/csv, application/json', 'TEXT/CSV;q=0.9, */*;q=0.1']) t.ok(prefersCsv(header), header)
  for (const header of [undefined, '', '*/*', 'text/*', 'application/json', 'text/csv;q=0.5, application/json', 'text/csv;q=0'])
    t.notOk(prefersCsv(header), String(header))
})
