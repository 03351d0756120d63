import t from 'tap'
import { testDatabase } from '#support/postgres.ts'
import { uploadRounds } from './uploads.ts'

/** Number of kills for each place: `npm run test:uploads -- 50` for more. */
const rounds = Number(process.argv[2] ?? 2)
const skip = process.platform === 'linux' ? {} : { skip: 'processes are found in /proc' }

for (const place of ['git', 'plain', 'postgres'] as const) {
  t.test(`a server killed at any moment loses no media that it answered with (${place})`, skip, async (t) => {
    const database = place === 'postgres' ? await testDatabase(t) : undefined
    const { faults, ...found } = await uploadRounds(t, place, rounds, (line) => t.comment(line), database)
    t.comment(JSON.stringify(found))
    t.strictSame(faults, [])
    t.ok(Object.keys(found.answered).length > 0, 'some were answered')
  })
}
