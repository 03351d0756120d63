import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { launch, scratchSite } from '#support/cli.ts'

// The mirror of the checkout is made of links, which are not packed.
const ROOT = dirname(realpathSync(fileURLToPath(new URL('../../package.json', import.meta.url))))

/** The package as it is published and installed: its files, and of other packages those alone that it depends on. */
function installed(folder: string): string {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' }),
  )
  for (const { path } of packed.files as { path: string }[]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(ROOT, path), join(folder, path))
  }
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  mkdirSync(join(folder, 'node_modules'))
  for (const name of Object.keys(dependencies)) symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  return join(folder, 'bin/cms.js')
}

t.test('what is packed runs with the packages it depends on, and no other', async (t) => {
  const site = scratchSite(t, { 'content/posts/a.md': '---\ntitle: Größe\nlist: {a: [1, 2]}\n---\nSome words.\n' })
  const command = installed(scratchSite(t, {}))
  const run = (...words: string[]) => launch([process.execPath, command, ...words, '-C', site]).done
  t.match(await run('build'), { code: 0 })
  t.match(readFileSync(join(site, 'public/posts/a/index.html'), 'utf8'), 'Some words.')
  t.match(await run('search', 'words'), { code: 0, stdout: /Größe/ }, 'the worker of the search is found')
  t.match(await run('list', 'posts', '--json'), { code: 0, stdout: /Größe/ })
  const serving = launch([process.execPath, command, 'serve', '--port', '0', '-C', site])
  const [url] = await serving.says(/http:\/\/\S+/)
  t.match(await (await fetch(`${url}/posts/a`)).text(), 'Some words.')
  t.equal((await fetch(`${url}/api/openapi.json`)).status, 200)
  serving.process.kill('SIGTERM')
  t.equal((await serving.done).code, 143)
})

t.test('what another release has read of a file is read anew', async (t) => {
  const site = scratchSite(t, { 'content/posts/a.md': '---\ntitle: A\n---\n' })
  const command = installed(scratchSite(t, {}))
  // A snapshot is believed by who gives the fingerprint that it bears.
  const fingerprint = async () => {
    await launch([process.execPath, command, 'list', 'posts', '-C', site]).done
    const [header = ''] = readFileSync(join(site, '.cms/cache/heads.ndjson'), 'utf8').split('\n')
    return JSON.parse(header).fingerprint
  }
  const first = await fingerprint()
  t.equal(await fingerprint(), first)
  appendFileSync(join(command, '../../dist/cli/run.js'), '// another release\n')
  t.not(await fingerprint(), first)
})

t.test('the licence of each package in the bundle goes along', async (t) => {
  const licences = readFileSync(join(ROOT, 'dist/LICENSES.txt'), 'utf8')
  for (const name of ['fastify', 'yaml', 'commander', 'liquidjs', 'pg'])
    t.match(licences, new RegExp(`^${name} \\d+\\.\\d+`, 'm'))
})
