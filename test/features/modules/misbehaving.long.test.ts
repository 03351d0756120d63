import { spawn } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { MISBEHAVING } from '#support/misbehaving.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The form of the tests: `.ts`, or `.js`. */
const FORM = extname(fileURLToPath(import.meta.url))

/** Tests of the content API: its writes, lists and actions; where no module is named, the last alone. */
const SUITE = process.argv.length > 2 ? ['writes.long', 'lists', 'actions.long'] : ['actions.long']

/** Modules that are taken where none is named: those that are asked at each write or answer. `all` takes each of the thirty. */
const USUAL = ['rejects-in-check', 'never-listens']

/** Runs a test file as it is, with a module in each of its apps. */
function run(file: string, module: string | undefined): Promise<{ code: number | null; said: string; ms: number }> {
  const began = performance.now()
  // The mirror that the suite runs in is plain JavaScript.
  const strips = FORM === '.ts' ? ['--import=./test/tools/strip.js'] : []
  const words = [...strips, `test/features/records/${file}.test${FORM}`]
  const { TAP_CHILD_ID: _, NODE_OPTIONS: __, TEST_LONG: ___, ...env } = process.env
  const child = spawn(process.execPath, words, {
    cwd: ROOT,
    env: { ...env, TAP_TIMEOUT: '600', ...(module !== undefined && { MISBEHAVING: module }) },
  })
  let said = ''
  child.stdout.on('data', (part: Buffer) => {
    said += part
  })
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, said, ms: performance.now() - began }))
  })
}

const asked = process.argv.slice(2)
const names = asked.includes('all') ? MISBEHAVING.map(({ name }) => name) : asked.length > 0 ? asked : USUAL

for (const file of SUITE)
  t.test(`the content API is as it is without them: ${file}`, { timeout: 3_600_000 }, async (t) => {
    const alone = await run(file, undefined)
    t.equal(alone.code, 0)
    for (const name of names) {
      const { code, said, ms } = await run(file, name)
      t.equal(code, 0, name)
      for (const line of said.split('\n').filter((line) => line.includes('not ok'))) t.comment(line)
      t.comment(`${file} ${name}: ${Math.round(ms)} ms, ${Math.round((100 * ms) / alone.ms)} % of ${Math.round(alone.ms)} ms`)
    }
  })
