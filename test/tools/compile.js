// `npm start`: compiles what has changed since the last time, and says so, for it takes a while; silent where nothing has.
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = readdirSync(join(root, 'src'), { recursive: true }).map((name) => join('src', name))
// A folder changes when a file in it is removed or renamed.
const read = ['src', ...sources, 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json']
const mark = join(root, 'dist/.tsbuildinfo')
const made = statSync(mark, { throwIfNoEntry: false })

if (!made || read.some((name) => statSync(join(root, name)).mtimeMs > made.mtimeMs)) {
  process.stderr.write(`Compiling${made ? ' what has changed' : ' (once; it takes some seconds)'}…\n`)
  const begun = new Date()
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  process.exitCode = status ?? 1
  // The compiler leaves it as it was where a change makes no difference.
  if (status === 0) utimesSync(mark, begun, begun)
}
