// `npm start`: builds where something has changed since the last time, and says so, for it takes a moment; silent where nothing
// has.
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = readdirSync(join(root, 'src'), { recursive: true }).map((name) => join('src', name))
// A folder changes when a file in it is removed or renamed.
const read = ['src', ...sources, 'bundle.js', 'package-lock.json']
const mark = join(root, 'dist/cli/run.js')
const made = statSync(mark, { throwIfNoEntry: false })

if (!made || read.some((name) => statSync(join(root, name)).mtimeMs > made.mtimeMs)) {
  process.stderr.write('Building…\n')
  const begun = new Date()
  const { status } = spawnSync(process.execPath, ['bundle.js'], { cwd: root, stdio: 'inherit' })
  process.exitCode = status ?? 1
  // What changed while it was built is not in it.
  if (status === 0) utimesSync(mark, begun, begun)
}
