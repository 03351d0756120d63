import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { t as root } from 'tap'
import { Server, type StopMode } from './server.ts'
import { sharedServer } from './shared-server.ts'

type Teardown = { teardown(work: () => Promise<void> | void): unknown }

/** The address of a schema of its own, which nothing is in yet, on the PostgreSQL of the run; dropped with the test. */
export async function testDatabase(t: Teardown): Promise<string> {
  return (await newSchema(t)).url
}

/** The end of this process: after its test file, or after the last of several that come one after another (test/tools/hand.js). */
const PROCESS: Teardown = {
  teardown: process.env.TEST_HAND ? (work) => process.once('disconnect', work) : root.teardown.bind(root),
}

/** Schemas that a store was on before, with all their tables, and nothing in them once they are swept. */
const used: { url: string; schema: string }[] = []

/**
 * As `testDatabase`, with the tables in it from the second time on: a process has one schema for as many stores as come one after
 * another. Whoever closed the store gives it back.
 */
export async function lentDatabase(): Promise<{ url: string; giveBack: () => void }> {
  const { url, schema } = used.pop() ?? (await newSchema(PROCESS))
  return { url, giveBack: () => void used.push({ url, schema }) }
}

async function newSchema(t: Teardown): Promise<{ url: string; schema: string }> {
  const server = await sharedServer()
  const schema = `test_${randomBytes(8).toString('hex')}`
  t.teardown(() => ask(server, `drop schema if exists ${schema} cascade`))
  const url = new URL(server)
  url.searchParams.set('schema', schema)
  return { url: url.href, schema }
}

/** Runs statements on a database, apart from what is tested. */
export async function ask(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statements)
  } finally {
    await client.end()
  }
}

/**
 * A PostgreSQL of a test's own, to stop (`immediate`: as in a crash) and to start again at the same address; removed with the
 * test.
 */
export interface OwnServer {
  readonly url: string
  start(): Promise<void>
  stop(mode?: StopMode): Promise<void>
}

/** Starts a PostgreSQL for this test alone. It is as durable as in production. */
export async function ownServer(t: Teardown): Promise<OwnServer> {
  const server = await Server.start(process.pid, [])
  t.teardown(() => server.remove())
  return server
}
