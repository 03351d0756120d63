// Runs the command lines that the tests send, one after another, as if each had this process to itself: see crew.ts.
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Interrupts, run } from '../../dist/cli/run.js'

const interrupts = new Interrupts((code) => process.exit(code))
// Commands say how they are called.
process.argv[1] = fileURLToPath(new URL('../../bin/cms.js', import.meta.url))

process.on('message', async ({ args, cwd, env, input = '' }) => {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  const [stdout, stderr] = [new Kept(), new Kept()]
  const code = await run(args, { stdin: Readable.from(input), stdout, stderr, env: process.env }, interrupts)
  process.send({ code, stdout: stdout.text(), stderr: stderr.text() })
})

/** Keeps what is written to it. */
class Kept extends Writable {
  parts = []

  _write(part, _, done) {
    this.parts.push(part)
    done()
  }

  text() {
    return Buffer.concat(this.parts).toString()
  }
}
