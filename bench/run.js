// `npm run bench:<name>`: builds, mirrors the checkout as plain JavaScript (test/tools/plain.js) and runs one bench in it, with
// the arguments that follow.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { makePlain, plain } from '../test/tools/plain.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const [name, ...args] = process.argv.slice(2)

run('bundle.js')
makePlain()
run(`${plain}/bench/${name}.js`, ...args)

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
