import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const SERVER = new URL('../test/support/server.js', import.meta.url).href

/** A schema of its own in a PostgreSQL. */
export interface Schema {
  /** The address of the database, with the schema. */
  readonly url: string
  /** Does the work of autovacuum, so that freshly filled tables are measured in their settled state. */
  settle(): Promise<void>
  drop(): Promise<void>
}

/**
 * The address of a PostgreSQL: DATABASE_URL, else one as the tests start it, as durable as in production, which ends with this
 * process.
 */
export function databaseServer(): string {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL
  const program = `const { Server } = await import('${SERVER}'); console.log((await Server.start(${process.pid}, [])).url)`
  const args = ['--input-type=module', '-e', program]
  const root = fileURLToPath(new URL('..', import.meta.url))
  return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).trim()
}

/** A new schema; whoever asks drops it. */
export function newSchema(server: string): Schema {
  const name = `bench_${randomBytes(6).toString('hex')}`
  const url = new URL(server)
  url.searchParams.set('schema', name)
  return {
    url: url.href,
    settle: () => ask(server, `vacuum analyze ${name}.documents, ${name}.facts, ${name}.revisions, ${name}.changes`),
    drop: () => ask(server, `drop schema if exists ${name} cascade`),
  }
}

async function ask(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
