import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { Server, type StopMode } from './server.ts'
import { sharedServer } from './shared-server.ts'

type Teardown = { teardown(work: () => Promise<void> | void): unknown }

/** The address of a schema of its own, which nothing is in yet, on the PostgreSQL of the run; dropped with the test. */
export async function testDatabase(t: Teardown): Promise<string> {
  const { url, drop } = await newSchema()
  t.teardown(drop)
  return url
}

/** As `testDatabase`, and the caller drops it. */
export async function newSchema(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = await sharedServer()
  const schema = `test_${randomBytes(8).toString('hex')}`
  const url = new URL(server)
  url.searchParams.set('schema', schema)
  return { url: url.href, drop: () => ask(server, `drop schema if exists ${schema} cascade`) }
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

/** A PostgreSQL of a test's own, to stop (`immediate`: as in a crash) and to start again at the same address; removed with the test. */
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
