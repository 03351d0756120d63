import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Backend, Remark } from '#core/backend.ts'
import { isHidden, isRecordName } from '#core/files/layout.ts'
import { isPrivate, type Key } from '#core/key.ts'
import type { Blobs } from '#core/media/blobs.ts'
import { NotFound } from '#lib/errors.ts'
import { readableEntries } from '#lib/files/readable.ts'
import { noteServer, readServer } from '../engine/private-folder.ts'
import { PostgresAuditLog } from './audit-log.ts'
import { PostgresBlobs } from './blobs.ts'
import type { Database } from './database.ts'
import { pathOf } from './documents/rows.ts'
import { PostgresJobs } from './jobs.ts'
import { KeptBlobs } from './kept-blobs.ts'
import { PostgresLedger } from './ledger.ts'
import { opening, type Whereabouts, whereaboutsOf } from './opening.ts'
import type { PostgresOptions } from './options.ts'
import { examine } from './problems.ts'
import { PostgresSearch } from './searching/search.ts'
import { PostgresSiteFiles } from './site-files.ts'
import { PostgresStore } from './store.ts'
import { refuseMoved } from './transfer/moved.ts'

/** A site in a database, and its folder on this machine. Folders are absolute, but `content`, which is from the site's root. */
export interface PostgresSite extends PostgresOptions {
  readonly root: string
  readonly privateDir: string
  /** The folder in which the records would be if they were files. */
  readonly content: string
  /** Opens what was moved away, too. */
  readonly force: boolean
  /** The language of its texts: `site.locale`. */
  readonly locale: string
  /** Absent: large bytes are kept in the database. */
  readonly blobs?: Blobs
}

/**
 * Opens a site whose records are in a PostgreSQL. Its folder on this machine holds the configuration and the templates. Throws
 * Conflict where it was moved away.
 */
export async function openPostgresSite(site: PostgresSite): Promise<Backend> {
  const { url, types, clock, privateDir, locale } = site
  const at = whereaboutsOf(url)
  const store = await opening(url, () => PostgresStore.open(site))
  const { database } = store
  const begin = async () => {
    await refuseMoved(database, site.force)
    return remarksOn(site, database)
  }
  const remarks = await begin().catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const ledger = new PostgresLedger(database, clock)
  let search: PostgresSearch | undefined
  let jobs: PostgresJobs | undefined
  const audit = new PostgresAuditLog(database)
  const blobs = new KeptBlobs(site.blobs ?? new PostgresBlobs(database, clock), database)
  return {
    store,
    ledger,
    siteFiles: new PostgresSiteFiles(database, blobs),
    search: () => {
      search ??= new PostgresSearch({ store, database, rows: store.rows, types, clock, locale })
      return search
    },
    jobs: () => {
      jobs ??= new PostgresJobs(database, clock)
      return jobs
    },
    blobs: () => blobs,
    audit: () => audit,
    isShared: true,
    delivers: true,
    isInFiles: false,
    place: placeOf(at),
    remarks,
    author: async () => undefined,
    fileOf: (key) => fileOf(database, key),
    files: () => filesOf(database),
    lookAt: () => false,
    claim: (served) => noteServer(privateDir, served, clock.now()),
    server: () => readServer(privateDir),
    sync: async () => {
      throw new NotFound(
        'The records are in a database, which all servers share: there is nothing to sync.',
        'What is in files here, templates and configuration, comes and goes with git itself.',
      )
    },
    examine: () => examine(database, clock, at),
    close: async () => {
      await jobs?.close()
      await search?.close()
      await ledger.close()
      await store.close()
    },
  }
}

function placeOf({ server, database, schema }: Whereabouts): string {
  return `PostgreSQL at ${server}, database ${database}, schema ${schema}`
}

async function fileOf(database: Database, { kind, id }: Key): Promise<string | undefined> {
  if (isPrivate(kind)) return undefined
  const row = await database.read((db) =>
    db.selectFrom('documents').select(['kind', 'file']).where('kind', '=', kind).where('id', '=', id).executeTakeFirst(),
  )
  return row && pathOf(row)
}

async function filesOf(database: Database): Promise<string[]> {
  const rows = await database.read((db) => db.selectFrom('documents').select(['kind', 'file']).execute())
  return rows.filter(({ kind }) => !isPrivate(kind)).map(pathOf)
}

/** Records that were never brought into the database look as if they were lost. */
async function remarksOn({ root, content }: PostgresSite, database: Database): Promise<Remark[]> {
  const folder = join(root, content)
  if (!existsSync(folder) || !holdsRecords(folder) || !(await isEmpty(database))) return []
  const message = `The database is empty, and the records in ${content}/ are not in it.`
  return [{ message, hint: '`cms storage:migrate --to postgres` brings them in, with their history.' }]
}

async function isEmpty(database: Database): Promise<boolean> {
  const row = await database.read((db) =>
    db.selectFrom('documents').select('doc').where('kind', 'not like', '.%').limit(1).executeTakeFirst(),
  )
  return row === undefined
}

function holdsRecords(folder: string): boolean {
  const entries = readableEntries(folder).filter(({ name }) => !isHidden(name))
  if (entries.some((entry) => entry.isFile() && isRecordName(entry.name))) return true
  return entries.some((entry) => entry.isDirectory() && holdsRecords(join(folder, entry.name)))
}
