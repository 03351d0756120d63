import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t from 'tap'
import { program } from '#support/program.ts'
import { openFiles, openPostgres } from '#support/stores.ts'
import { openSeller, SELLERS, type SellerArgument } from './fixtures/selling.ts'

/** Number of invoices on each store: 1,000 with `npm run test:invoices -- 1000`. */
const MANY = Number(process.argv[2] ?? 200)
/** Number of invoices that a process makes before it is killed, in turn; it goes on without after these. */
const LIVES = [1, 7, 30, 2, 55, 13, 90, 4, 21, 60]

/** Runs writers in a process that is killed and begun again, and resolves with the number of kills when all is done. */
async function runKilled(argument: SellerArgument, lives: readonly number[]): Promise<number> {
  let kills = 0
  for (const life of [...lives, Number.POSITIVE_INFINITY]) {
    const [command = '', ...words] = program(new URL('fixtures/seller', import.meta.url))
    const { NODE_OPTIONS, ...env } = process.env
    const child = spawn('env', ['-u', 'NODE_OPTIONS', command, ...words, JSON.stringify(argument)], {
      ...{ env, stdio: ['ignore', 'pipe', 'inherit'] },
    })
    const ended = once(child, 'exit')
    let lines = 0
    createInterface({ input: child.stdout }).on('line', () => {
      if (++lines === life) child.kill('SIGKILL')
    })
    const [code, signal] = await ended
    if (signal === 'SIGKILL') kills++
    else if (code !== 0) throw new Error(`A writer ended with ${code}.`)
    else return kills
  }
  return kills
}

for (const open of [openFiles, openPostgres])
  t.test(`invoices of eight writers on two nodes that are killed: ${open.name}`, async (t) => {
    const opened = await open({})
    t.teardown(opened.close)
    const where = 'url' in opened ? { url: opened.url } : { root: opened.site.root }
    const writers = Array.from({ length: SELLERS }, (_, n) => n)
    const halves = [writers.slice(0, SELLERS / 2), writers.slice(SELLERS / 2)]
    const kills = await Promise.all(
      halves.map((from, n) => runKilled({ from, many: MANY, ...where }, n === 0 ? LIVES : LIVES.toReversed())),
    )
    t.comment(`killed ${kills.join(' and ')} times`)
    t.ok(Math.min(...kills) > 0)
    const { kept, close } = await openSeller(where)
    t.teardown(close)
    const { items } = await kept.invoices({}, {})
    const wanted = Array.from({ length: MANY }, (_, n) => `2026-${String(n + 1).padStart(5, '0')}`)
    t.strictSame(items.map(({ number }) => number).sort(), wanted, 'none twice, none missing')
    t.equal(new Set(items.map(({ customer }) => customer)).size, MANY, 'each has one')
  })
