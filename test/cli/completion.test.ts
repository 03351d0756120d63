import { spawnSync } from 'node:child_process'
import t, { type Test } from 'tap'
import { CMS, cms, scratchSite } from '#support/cli.ts'
import { longTest } from '#support/long.ts'

const site = (t: Test) =>
  scratchSite(t, {
    'cms.config.yaml': 'roles: { translator: { extends: author } }\ntypes: { posts: {}, notes: {} }\n',
    'content/posts/first.md': '# First\n',
    'content/posts/2026/second.md': '# Second\n',
    "content/posts/it's here.md": '# Third\n',
  })

/** Returns the completions of bash for each line, from the script itself; then COMP_WORDBREAKS. */
function inBash(root: string, lines: readonly string[]): string[][] {
  const asked = lines.map((line) => `COMP_LINE='${line}' COMP_POINT=${line.length}; _cms; printf '%s|' "\${COMPREPLY[@]}"; echo`)
  const script = [
    'before="$COMP_WORDBREAKS"',
    `cms() { '${process.execPath}' '${CMS}' "$@"; }`,
    'eval "$(cms completion bash)"',
    ...asked,
    '[ "$before" = "$COMP_WORDBREAKS" ] && echo same',
  ].join('\n')
  const { NODE_OPTIONS, ...env } = process.env
  const run = spawnSync('bash', ['-c', script], { cwd: root, encoding: 'utf8', env })
  return run.stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('|').filter((word) => word !== ''))
}

t.test('what may come next: commands, options, types, ids, statuses, roles', async (t) => {
  const root = site(t)
  const next = async (...words: string[]) => {
    const run = await cms(['completion', 'words', '--', ...words], { cwd: root })
    return run.stdout.split('\n').filter((word) => word !== '')
  }
  t.strictSame(await next('pub'), ['publish', 'publish:due'])
  t.strictSame(await next('templates:copy', 'shortcodes/fi'), ['shortcodes/figure'])
  t.ok((await next('list', '--')).includes('--status'))
  t.ok((await next('list', '--')).includes('--json'), 'those of all commands too')
  t.notOk((await next('list', '--')).includes('--force'), 'none that is hidden')
  t.strictSame(await next('list', ''), ['notes', 'posts'])
  t.strictSame(await next('show', 'posts', ''), ['2026~second', 'first', "it's here"])
  t.strictSame(await next('show', 'posts', '2026/'), ['2026~second'])
  t.strictSame(await next('list', 'posts', '--status', 'd'), ['draft'])
  t.strictSame(await next('list', 'posts', '--status=d'), ['--status=draft'])
  t.strictSame(await next('list', '--limit', '5', 'p'), ['posts'], 'the value of an option is no argument')
  t.strictSame(await next('token:create', '--scope', ''), ['read', 'edit', 'admin'])
  t.strictSame(await next('user:create', '--role', 't'), ['translator'])
  t.strictSame(await next('check', '--format', 'g'), ['github'])
  t.strictSame(await next('-C', '/', 'show', 'posts', ''), [], 'where there is no site, nothing')
  t.strictSame(await next('build', '--out', ''), [], 'a file may stand there')
})

longTest(
  'in bash, whose signs that part words stay as they are',
  { skip: spawnSync('bash', ['--version']).status !== 0 },
  async (t) => {
    const lines = ['cms token:cr', 'cms show posts 2026', 'cms list --status=d', 'cms show posts it', 'cms list ']
    t.strictSame(inBash(site(t), lines), [
      ['create'],
      ['2026~second'],
      ['draft'],
      ["it\\'s\\ here"],
      ['notes', 'posts'],
      ['same'],
    ])
  },
)
