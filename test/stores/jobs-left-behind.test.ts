import { join } from 'node:path'
import t from 'tap'
import { systemClock } from '#lib/clock.ts'
import { FilesJobs } from '#stores/files/jobs/jobs.ts'
import { FilesOrigin } from '#stores/files/transfer/origin.ts'
import { Database } from '#stores/postgres/database.ts'
import { PostgresJobs } from '#stores/postgres/jobs.ts'
import { PostgresOrigin } from '#stores/postgres/transfer/origin.ts'
import { TestClock } from '#support/clock.ts'
import { testDatabase } from '#support/postgres.ts'
import { makeSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const LATER = systemClock.now() + 60_000

t.test('a move tells of jobs that wait: of files', async (t) => {
  const site = makeSite({ 'content/posts/a.md': 'one\n' })
  t.teardown(site.remove)
  const options = filesOptions(site, plainTypes(), new TestClock())
  const remarks = async () => {
    const author = { name: 'Ada', email: 'ada@example.org' }
    const origin = await FilesOrigin.open(
      { ...options, git: { ...GIT, enabled: 'auto' }, besideMax: 1024 },
      { otherwise: author },
    )
    await origin.close()
    return origin.remarks.map(({ message }) => message)
  }
  t.strictSame(await remarks(), [])
  await new FilesJobs(join(site.root, options.privateDir, 'jobs'), systemClock).add({ name: 'mail', data: {} }, LATER)
  t.strictSame(await remarks(), ['1 job that waits is not moved (mail: 1).'])
})

t.test('a move tells of jobs that wait: of a database', async (t) => {
  const options = {
    url: await testDatabase(t),
    types: plainTypes(),
    clock: new TestClock(),
    watch: false,
    secret: 'x'.repeat(32),
  }
  const remarks = async () => {
    const origin = await PostgresOrigin.open(options)
    await origin.close()
    return origin.remarks.map(({ message }) => message)
  }
  t.strictSame(await remarks(), [])
  const database = await Database.open(options.url)
  t.teardown(() => database.close())
  const jobs = new PostgresJobs(database, systemClock)
  for (const name of ['mail', 'shop', 'mail']) await jobs.add({ name, data: {} }, LATER)
  t.strictSame(await remarks(), ['3 jobs that wait are not moved (mail: 2, shop: 1).'])
})
