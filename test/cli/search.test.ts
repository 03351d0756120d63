import t from 'tap'
import { cms, HAS_TERMINAL, scratchSite, startOnTerminal } from '#support/cli.ts'
import { longTest } from '#support/long.ts'

const FILES = {
  'cms.config.yaml': 'types:\n  posts: { permalink: "/blog/{slug}" }\n  pages: {}\n',
  'content/posts/light.md': '---\ntitle: The lighthouse\n---\nA keeper burns the lamp. Fog & 5 < 6 \u001b[31mcome.\n',
  'content/posts/fog.md': '---\ntitle: Fog\nstatus: draft\n---\nIt hides the first light.\n',
  'content/about.md': '---\ntitle: About\n---\nWe keep a lighthouse.\n',
}

longTest('what is found, as grep would be used', async (t) => {
  const root = scratchSite(t, FILES)
  // Quietly: a start that takes over a second says so on stderr.
  const run = (...words: string[]) => cms(['-q', 'search', ...words], { cwd: root })
  const found = await run('lighthouse')
  t.match(found, { code: 0, stdout: /^posts\/light {2}The lighthouse\n {4}A keeper[^\n]*\npages\/about {2}About\n/, stderr: '' })
  t.notMatch(found.stdout, '\u001b', 'no control character of a text reaches the terminal')
  t.match(await run('lamp', 'fog'), { code: 0, stdout: /Fog & 5 < 6/ }, 'a text as it is written')
  t.match(await run('"first light"'), { code: 0, stdout: /^posts\/fog {2}Fog\n/ })
  t.match(await run('lighthouse', '--type', 'pages'), { code: 0, stdout: /^pages\/about [^\n]*\n[^\n]*\n$/ })
  t.match(await run('hides', '--status', 'draft'), { code: 0, stdout: /^posts\/fog/ })
  t.match(await run('submarine'), { code: 1, stdout: '', stderr: '' })
  t.match(await run('--', 'lighthouse', '-keeper'), { code: 0, stdout: /^pages\/about/ })
  t.match(await cms(['search', 'lighthouse', '--limit', '1'], { cwd: root }), { code: 0, stderr: /1 of 2 records/ })
  t.equal((await run('lighthouse', '--limit', 'all')).stdout.split('\n').length, 5)
})

t.test('as JSON', async (t) => {
  const root = scratchSite(t, FILES)
  const { code, stdout } = await cms(['search', 'fog', '--json'], { cwd: root })
  t.equal(code, 0)
  const { ok, data } = JSON.parse(stdout)
  t.ok(ok)
  t.match(data, [
    { type: 'posts', id: 'fog', status: 'draft', url: '/blog/fog' },
    { id: 'light', excerpt: /<mark>Fog<\/mark> &amp;/ },
  ])
  const none = await cms(['search', 'submarine', '--json'], { cwd: root })
  t.equal(none.code, 1)
  const error = { code: 'failed', message: 'Nothing was found for submarine.', hint: String, file: null, line: null }
  t.match(JSON.parse(none.stdout), { ok: false, error, data: [], warnings: [] }, 'only exit code 0 is ok')
  t.match(none.stderr, /^Nothing was found for submarine\.$/m)
})

t.test('what was meant is named', async (t) => {
  const root = scratchSite(t, FILES)
  const run = (...words: string[]) => cms(['search', ...words], { cwd: root })
  t.match(await run('x', '--type', 'post'), { code: 4, stderr: /fix: Did you mean posts\?/ })
  t.match(await run('x', '--status', 'drft'), { code: 2, stderr: /fix: Did you mean draft\?/ })
  t.match(await run('x', '--limit', '0'), { code: 2 })
  t.match(await run(' '), { code: 2, stderr: /must not be empty/ })
  t.match(await run('a'.repeat(300)), { code: 2, stderr: /at most 256/ })
  const off = scratchSite(t, { ...FILES, 'cms.config.yaml': 'features: { search: false }\n' })
  t.match(await cms(['search', 'x'], { cwd: off }), { code: 4, stderr: /switched off[\s\S]*fix: Set/ })
})

t.test('on a terminal what was looked for is set off', { skip: !HAS_TERMINAL && 'there is no `script` here' }, async (t) => {
  const root = scratchSite(t, FILES)
  const { done } = startOnTerminal(['search', 'keeper'], { cwd: root })
  t.match((await done).stdout, '\u001b[1mkeeper\u001b[22m')
})
