import t from 'tap'
import { killRounds } from './kill.ts'

/** Number of kills: `npm run test:kill -- 200` for more. */
const rounds = Number(process.argv[2] ?? 5)
const skip = process.platform === 'linux' ? {} : { skip: 'processes are found in /proc' }

t.test('a writer killed at any moment loses nothing that was answered', skip, async (t) => {
  const seed = Date.now() % 1_000_000
  const { faults, ...found } = await killRounds(rounds, seed, (line) => t.comment(line))
  t.comment(JSON.stringify(found))
  t.strictSame(faults, [], `seed ${seed}`)
  t.ok(found.answered > 0, 'writes were answered')
})
