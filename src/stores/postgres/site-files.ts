import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import { keyOfFile } from '#core/files/layout.ts'
import { isSitePath, type SiteArea, type SiteFile, type SiteFiles, type SiteFilesPart } from '#core/files/site-files.ts'
import type { Blobs, ByteRange, StoredBlob } from '#core/media/blobs.ts'
import { composed } from '#lib/text/normal-form.ts'
import type { Database } from './database.ts'

/** The file of a record whose folder is its own. */
const INDEX = /^(.*\/|)index\.[^./]+$/s

// biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII
const OTHER_LETTER = /[^\x00-\x7f]/gu

/** A file that is to be kept, and the blob of its bytes. */
export interface PlacedFile extends StoredBlob {
  readonly area: SiteArea
  readonly path: string
}

/** The files of a site in a table, their bytes among the blobs. */
export class PostgresSiteFiles implements SiteFiles {
  readonly #database: Database
  readonly #blobs: Pick<Blobs, 'open'>

  /** Both are opened and closed by who gives them. */
  constructor(database: Database, blobs: Pick<Blobs, 'open'>) {
    this.#database = database
    this.#blobs = blobs
  }

  /** Keeps files, whose blobs were put before, in the place of those of the same paths. Throws RangeError for a path that none can have. */
  async put(files: readonly PlacedFile[]): Promise<void> {
    const wrong = files.find(({ area, path }) => !isSitePath(area, path))
    if (wrong) throw new RangeError(`No file of a site is called ${wrong.path}.`)
    if (files.length === 0) return
    await this.#database.run((db) =>
      db
        .insertInto('site_files')
        .values(files.map(({ area, path, ref, size }) => ({ area, path, ref, size })))
        .onConflict((conflict) =>
          conflict.columns(['area', 'path']).doUpdateSet(({ ref }) => ({ ref: ref('excluded.ref'), size: ref('excluded.size') })),
        )
        .execute(),
    )
  }

  async find(area: SiteArea, path: string): Promise<SiteFile | undefined> {
    if (!isSitePath(area, path)) return undefined
    const row = await this.#database.read((db) =>
      db.selectFrom('site_files').select(['ref', 'size']).where('area', '=', area).where('path', '=', path).executeTakeFirst(),
    )
    return row && { area, path, size: row.size, version: row.ref }
  }

  async isTaken(area: SiteArea, path: string): Promise<boolean> {
    const wanted = path.toLowerCase()
    // The database may know other letters' cases otherwise.
    const pattern = wanted.replaceAll(/[%_\\]/g, '\\$&').replaceAll(OTHER_LETTER, '_')
    const { rows } = await this.#database.read((db) =>
      sql<{ path: string }>`select path from site_files where area = ${area} and lower(path) like ${pattern}`.execute(db),
    )
    return rows.some((row) => row.path.toLowerCase() === wanted)
  }

  open({ version }: SiteFile, range?: ByteRange): Promise<Readable | undefined> {
    return this.#blobs.open(version, range)
  }

  async list(area: SiteArea, { below = '', after = '', limit }: SiteFilesPart): Promise<SiteFile[]> {
    const folder = below === '' ? '' : `${below}/`
    const rows = await this.#database.read((db) => {
      const files = db.selectFrom('site_files').select(['path', 'ref', 'size']).where('area', '=', area).where('path', '>', after)
      // `0` is the character behind the slash.
      const within = folder === '' ? files : files.where('path', '>', folder).where('path', '<', `${below}0`)
      return within.orderBy('path').limit(limit).execute()
    })
    return rows.map(({ path, ref, size }) => ({ area, path, size, version: ref }))
  }

  async recordFolders(folders: readonly string[]): Promise<ReadonlySet<string>> {
    const keys = folders.flatMap((folder) => keyOfFile(folder === '' ? 'index.md' : `${folder}/index.md`) ?? [])
    if (keys.length === 0) return new Set()
    const [kinds, ids] = [keys.map(({ kind }) => kind), keys.map(({ id }) => id)]
    const { rows } = await this.#database.read((db) =>
      sql<{ file: string }>`select d.file from documents d
        join unnest(${kinds}::text[], ${ids}::text[]) as one (kind, id) on d.kind = one.kind and d.id = one.id`.execute(db),
    )
    return new Set(rows.flatMap(({ file }) => INDEX.exec(composed(file))?.[1]?.slice(0, -1) ?? []))
  }
}
