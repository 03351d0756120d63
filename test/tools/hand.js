// Runs test files, one after another, for `suite.js`: each in a test of its own, as if it had this process to itself. What a
// process takes to start and to load the product is a quarter of what all tests take, and code that ran before runs faster.
import { pathToFileURL } from 'node:url'

const { t, Test, begin } = await import(new URL('../../.tap/plain/node_modules/tap/tap.js', import.meta.url).href)

/** Time in milliseconds that what a file has left may take to end. */
const PATIENCE = 500

/** A test file, whose time limit the process that sent it is told of. */
class FileTest extends Test {
  setTimeout(limit) {
    process.send({ limit })
    super.setTimeout(limit)
  }
}

// The test that a process has where it runs one file. Here it has nothing to do, for longer than it is given.
t.setTimeout(0)

const [folder, environment] = [process.cwd(), { ...process.env }]
let current

process.on('message', async ({ file, script, timeout, mark }) => {
  // As in a process that has nothing but the file to do: where all waits for what never comes, it is over.
  process.channel.unref()
  current = new FileTest({ name: file, timeout, cb: () => import(pathToFileURL(script).href).then(() => undefined) })
  begin(current)
  current.on('data', (text) => process.stdout.write(text))
  await new Promise((resolve) => current.runMain(resolve))
  // Its limit would be reached while others run.
  clearTimeout(current.timer)
  process.stdout.write(mark)
  restore()
  if ((await isIdle()) && process.exitCode === undefined) {
    process.channel.ref()
    process.send({ isReady: true })
  } else process.disconnect()
})
process.on('beforeExit', () => current?.results ?? current?.endAll())

/** Returns whether nothing that the last file began is still at work. If something is, the file has not ended before it has. */
async function isIdle() {
  for (const end = performance.now() + PATIENCE; performance.now() < end; ) {
    // Idle processes of the crew are among the pipes (test/support/crew.ts); one at work is more than its pipes.
    if (process.getActiveResourcesInfo().every((name) => name === 'PipeWrap')) return true
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return false
}

function restore() {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  process.chdir(folder)
}
