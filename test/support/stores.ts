import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Test } from 'tap'
import type { AuditLog } from '#core/audit-log.ts'
import { keyOfFile } from '#core/files/layout.ts'
import type { SiteArea, SiteFiles } from '#core/files/site-files.ts'
import type { Key } from '#core/key.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Blobs } from '#core/media/blobs.ts'
import type { SearchIndex } from '#core/queries/search.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import { FilesAuditLog } from '#stores/files/audit/audit-log.ts'
import { FilesSiteFiles } from '#stores/files/beside/site-files.ts'
import { FilesBlobs } from '#stores/files/blobs/blobs.ts'
import type { GitSettings } from '#stores/files/committing/settings.ts'
import { FilesLedger } from '#stores/files/ledger/ledger.ts'
import type { FilesOptions } from '#stores/files/options.ts'
import { FilesSearch } from '#stores/files/searching/search.ts'
import { FilesStore } from '#stores/files/store.ts'
import { PostgresAuditLog } from '#stores/postgres/audit-log.ts'
import { PostgresBlobs } from '#stores/postgres/blobs.ts'
import { Database } from '#stores/postgres/database.ts'
import { Rows } from '#stores/postgres/documents/rows.ts'
import { Shapes } from '#stores/postgres/documents/shapes.ts'
import { PostgresLedger } from '#stores/postgres/ledger.ts'
import { Sealing } from '#stores/postgres/sealing.ts'
import { PostgresSearch } from '#stores/postgres/searching/search.ts'
import { PostgresSiteFiles } from '#stores/postgres/site-files.ts'
import { PostgresStore } from '#stores/postgres/store.ts'
import { TestClock } from './clock.ts'
import { makeRepository } from './git.ts'
import { load } from './load.ts'
import { MemoryAuditLog } from './memory-audit-log.ts'
import { MemoryBlobs } from './memory-blobs.ts'
import { MemorySiteFiles } from './memory-site-files.ts'
import { MemoryLedger, MemoryStore } from './model.ts'
import { lentDatabase } from './postgres.ts'
import { SearchModel } from './search-model.ts'
import { makeSite, type TestSite } from './sites.ts'
import { plainTypes } from './types.ts'

/** The fixtures of a test of any store: the store, its clock and types, and its initial files. */
export interface OpenedStore {
  name: 'files' | 'git' | 'memory' | 'postgres'
  store: Store
  ledger: Ledger
  /** Finds the store's documents, as texts of `StoreOptions.locale`. */
  search: SearchIndex
  blobs: Blobs
  audit: AuditLog
  clock: TestClock
  types: ContentTypes
  /** The files of the site that are no documents. */
  siteFiles: SiteFiles
  /** The site's folder, where there is one. */
  site?: TestSite
  close(): Promise<void>
}

/** The initial state: files by path from the site's root, types (else those of a site without configuration), the time. */
export interface StoreOptions {
  files?: Readonly<Record<string, string>>
  /** Other files than documents, by path from the site's root. */
  beside?: Readonly<Record<string, string | Buffer>>
  types?: ContentTypes
  now?: string
  watch?: boolean
  /** True if `eachStore` is to take the model in memory, too: for what a store promises. */
  model?: boolean
  /** True if revisions are kept: for files, in a repository of their own. PostgreSQL always keeps them. */
  history?: boolean
  /** The language in which the texts are searched; English by default. */
  locale?: string
}

/** The most bytes that a store in files puts beside the document that they belong to. */
export const BESIDE_MOST = 64 * 1024

type Body = (t: Test, opened: OpenedStore) => Promise<void>

/**
 * Runs `body` as a subtest for each store that a site can have; files are in a repository where a history is asked for, and only
 * there. `history: false` is for what is so without one: then PostgreSQL, which always keeps one, is left out.
 */
export async function eachStore(t: Test, options: StoreOptions, body: Body): Promise<void> {
  const stores = [() => openFiles(options), ...(options.model ? [() => openMemory(options)] : [])]
  await loop(t, options.history === false ? stores : [...stores, () => openPostgres(options)], body)
}

/**
 * As `eachStore`, with the model, and with files both without a repository and in one: for what a store promises whether or not it
 * keeps a history.
 */
export async function everyStore(t: Test, options: StoreOptions, body: Body): Promise<void> {
  const kept = { ...options, history: true }
  await loop(t, [() => openFiles(options), () => openFiles(kept), () => openMemory(options), () => openPostgres(options)], body)
}

async function loop(t: Test, stores: readonly (() => Promise<OpenedStore>)[], body: Body): Promise<void> {
  for (const open of stores) {
    const opened = await open()
    await t.test(opened.name, async (t) => {
      t.teardown(opened.close)
      await body(t, opened)
    })
  }
}

/** The in-memory model as an opened store. */
export async function openMemory(options: StoreOptions): Promise<OpenedStore> {
  const clock = new TestClock(options.now)
  const types = options.types ?? plainTypes()
  const store = new MemoryStore({ types, clock, files: options.files ?? {}, history: options.history ?? false })
  const search = new SearchModel({ store, types, clock, locale: options.locale ?? 'en' })
  const siteFiles = new MemorySiteFiles(options.beside)
  const blobs = new MemoryBlobs(clock)
  const close = () => store.close()
  return {
    name: 'memory',
    store,
    ledger: new MemoryLedger(clock),
    search,
    siteFiles,
    blobs,
    audit: new MemoryAuditLog(),
    clock,
    types,
    close,
  }
}

/** A folder of its own as an opened store, removed when it is closed. */
export async function openFiles(options: StoreOptions): Promise<OpenedStore & { site: TestSite; store: FilesStore }> {
  const site = makeSite({ ...options.files, ...options.beside })
  const clock = new TestClock(options.now)
  const types = options.types ?? plainTypes()
  if (options.history) makeRepository(site)
  const git = options.history ? { git: GIT } : {}
  const blobs = new FilesBlobs(site.path('.cms/media'), clock)
  const besideBytes = { most: BESIDE_MOST, bytesOf: blobs.bytesOf.bind(blobs) }
  const store = await FilesStore.open({ ...filesOptions(site, types, clock), watch: options.watch ?? false, ...git, besideBytes })
  const ledger = await FilesLedger.open(site.path('.cms/ledger.log'), clock)
  const search = new FilesSearch({ store, types, clock, locale: options.locale ?? 'en' })
  const siteFiles = siteFilesIn(site, clock)
  const audit = new FilesAuditLog({ privateDir: site.path('.cms') })
  const close = async () => {
    await search.close()
    await store.close()
    await ledger.close()
    site.remove()
  }
  return { name: options.history ? 'git' : 'files', store, siteFiles, ledger, search, blobs, audit, clock, types, site, close }
}

/** A database of its own as an opened store; what it begins with is in it as one write by hand. */
export async function openPostgres(options: StoreOptions): Promise<OpenedStore & { store: PostgresStore; url: string }> {
  const clock = new TestClock(options.now)
  const types = options.types ?? plainTypes()
  const { url, giveBack } = await lentDatabase()
  const database = await Database.open(url)
  await sweep(database)
  const files = Object.entries(options.files ?? {}).map(([path, text]) => ({ ...placeOf(path), bytes: Buffer.from(text) }))
  await load(database, new Rows(new Shapes(types), new Sealing(SECRET)), files, AUTHOR, clock.now())
  await database.close()
  const store = await PostgresStore.open({ url, types, clock, watch: options.watch ?? false, secret: SECRET })
  const { rows } = store
  const search = new PostgresSearch({ store, database: store.database, rows, types, clock, locale: options.locale ?? 'en' })
  const siteFiles = await placed(store.database, clock, options.beside ?? {})
  const close = async () => {
    await search.close()
    await store.close()
    giveBack()
  }
  const [ledger, blobs] = [new PostgresLedger(store.database, clock), new PostgresBlobs(store.database, clock)]
  const audit = new PostgresAuditLog(store.database)
  return { name: 'postgres', store, ledger, search, siteFiles, blobs, audit, clock, types, url, close }
}

/** One more node on the same database: a store and a ledger of its own, closed with the test. With `watch` it hears of writes at once. */
export async function openNode(t: Test, opened: OpenedStore & { url: string }, watch = false): Promise<OpenedStore> {
  const { url, types, clock, search, siteFiles } = opened
  const store = await PostgresStore.open({ url, types, clock, watch, secret: SECRET })
  t.teardown(() => store.close())
  return {
    name: 'postgres',
    store,
    ledger: new PostgresLedger(store.database, clock),
    blobs: new PostgresBlobs(store.database, clock),
    audit: new PostgresAuditLog(store.database),
    search,
    siteFiles,
    clock,
    types,
    close: () => store.close(),
  }
}

/**
 * Returns the creation date of a record that has none of its own and that nothing was done to. In a database, which keeps a
 * history of everything in it, this is the moment it was taken in; null without a history.
 */
export function firstDate({ name, clock }: OpenedStore): string | null {
  return name === 'postgres' ? new Date(clock.now()).toISOString() : null
}

/**
 * The ETag of a record's plain answer: its version and, where the dates in the answer come from a history, what stands for them.
 */
export function etagOf({ name }: OpenedStore, version: string): RegExp {
  return new RegExp(name === 'postgres' ? `^"${version}-[0-9a-f]{8}"$` : `^"${version}"$`)
}

const SECRET = 'x'.repeat(32)
const AUTHOR = { name: 'Author', email: 'author@example.org' }

/** The tables of a site's contents, those that refer to others before these, and with them the column that counts by itself. */
const TABLES: readonly [table: string, counted?: string][] = [
  ['facts'],
  ['revisions'],
  ['blob_parts'],
  ['search_documents'],
  ['search_forms', 'nth'],
  ['documents', 'doc'],
  ['writes'],
  ['changes'],
  ['once'],
  ['ledger'],
  ['jobs', 'job'],
  ['blobs', 'blob'],
  ['site_files'],
  ['search_editions', 'edition'],
  ['audit'],
  ['audit_requests'],
]

/** Bytes of all tables from which on they are made anew, with their indexes and files: where few rows were, that takes ten times as long. */
const MUCH = 2 * 1024 * 1024

/** Makes of a database one that nothing was ever written to. */
async function sweep(database: Database): Promise<void> {
  const statements = TABLES.flatMap(([table, counted]) => [
    `delete from ${table}`,
    ...(counted ? [`perform setval(pg_get_serial_sequence('${table}', '${counted}'), 1, false)`] : []),
  ])
  const names = TABLES.map(([table]) => table)
  const size = names.map((table) => `pg_total_relation_size('${table}')`).join(' + ')
  const body = `begin if ${size} > ${MUCH} then truncate ${names.join(', ')} restart identity; else ${statements.join('; ')}; end if; end`
  await database.run((db) => sql.raw(`do $$ ${body} $$`).execute(db))
  await database.run((db) =>
    sql`update site set name = gen_random_uuid()::text, place = 0, moved_to = null, moved_at = null, arriving = null`.execute(db),
  )
}

/** Puts files into a database, and returns them there. */
async function placed(database: Database, clock: Clock, files: NonNullable<StoreOptions['beside']>): Promise<SiteFiles> {
  const blobs = new PostgresBlobs(database, clock)
  const siteFiles = new PostgresSiteFiles(database, blobs)
  for (const [path, bytes] of Object.entries(files)) await place({ siteFiles, blobs }, path, bytes)
  return siteFiles
}

/** Puts a file that is no document, by its path from the site's root, in the place of what is there. */
export async function putBeside({ site, siteFiles, blobs }: OpenedStore, path: string, bytes: Buffer): Promise<void> {
  if (site) site.write(path, bytes)
  else await place({ siteFiles: siteFiles as PostgresSiteFiles, blobs }, path, bytes)
}

async function place(to: { siteFiles: PostgresSiteFiles; blobs: Blobs }, whole: string, bytes: string | Buffer): Promise<void> {
  const [area = '', ...path] = whole.split('/')
  const stored = await to.blobs.put(Readable.from([Buffer.from(bytes)]), Number.POSITIVE_INFINITY)
  await to.siteFiles.put([{ area: area as SiteArea, path: path.join('/'), ...stored }])
}

/** The key of a file of a site, and its path below the content folder. */
function placeOf(path: string): { key: Key; file: string } {
  const file = path.slice('content/'.length)
  const key = keyOfFile(file)
  if (!key) throw new Error(`${path} is no file of a document.`)
  return { key, file }
}

/** `git` of a configuration that says nothing of it. */
export const GIT: GitSettings = {
  enabled: true,
  branch: null,
  remote: 'origin',
  local_edits: 'keep',
  author: { name: 'Quire', email: 'quire@localhost' },
}

/** A folder that is there already, opened as a store. */
export function openFolder(site: TestSite, types: ContentTypes, clock: Clock): Promise<FilesStore> {
  return FilesStore.open(filesOptions(site, types, clock))
}

/** The files of a test's site that are no documents. */
export function siteFilesIn(site: TestSite, clock: Clock): SiteFiles {
  return new FilesSiteFiles({ root: site.root, content: 'content', privateDir: site.path('.cms') }, clock)
}

/** The options of a files store on a test's site, without watching. */
export function filesOptions(site: TestSite, types: ContentTypes, clock: Clock): FilesOptions {
  return { root: site.root, content: 'content', privateDir: '.cms', types, clock, watch: false, fingerprint: 'test' }
}
