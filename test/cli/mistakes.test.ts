import { PassThrough } from 'node:stream'
import t from 'tap'
import { Output, table } from '#cli/output.ts'
import { cms, scratchSite } from '#support/cli.ts'

const ROWS = [
  ['TS', 'CHANGED', 'MESSAGE'],
  [
    '1795345478360',
    'title,status,published_at,slug,author,tags,excerpt',
    'A message that is longer than a terminal has room for',
  ],
]

t.test('a table is cut to the width of a terminal, but for the column that names the row', (t) => {
  t.match(table(ROWS), /excerpt {2}A message that is longer than a terminal has room for$/)
  const cut = table(ROWS, 60).split('\n')
  for (const line of cut) t.ok(line.length <= 60, line)
  t.match(cut[1], /^1795345478360 {2}title,\S*… {2}A message.*…$/)
  t.match(table(ROWS, 10), /^TS {13}CHANGED {3}MESSAGE\n1795345478360 {2}title,s… {2}A messa…$/, 'never to nothing')
  t.end()
})

t.test('a pipe and a file have no width', (t) => {
  const options = { json: false, quiet: false, verbose: false, color: false }
  const columnsOf = (facts: object) => new Output(Object.assign(new PassThrough(), facts), new PassThrough(), options).columns
  t.equal(columnsOf({ isTTY: true, columns: 72 }), 72)
  t.equal(columnsOf({ columns: 72 }), Number.POSITIVE_INFINITY)
  t.end()
})

t.test('-v shows no stack of what a person can mend', async (t) => {
  const { code, stderr } = await cms(['-v', 'lst'])
  t.equal(code, 2)
  t.notMatch(stderr, /\n {4}at /)
})

t.test('all mistakes of a configuration are told at once', async (t) => {
  const root = scratchSite(t, { 'cms.config.yaml': 'site: { nmae: X }\nserver: { prot: 1 }\n' })
  const [text, json] = await Promise.all([cms(['list', 'x'], { cwd: root }), cms(['list', 'x', '--json'], { cwd: root })])
  t.match(text, {
    code: 3,
    stderr: /config\.yaml:1:9\n {2}fix: Did you mean "name"\?\nerror: server\.prot.*\n.*config\.yaml:2:11\n {2}fix: /,
  })
  t.match(JSON.parse(json.stdout).error, { line: 1, others: [{ message: /server\.prot/, line: 2 }] })
})
