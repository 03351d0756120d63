import { type Insertable, sql, type Transaction } from 'kysely'
import { describedFile } from '#core/files/layout.ts'
import { idToPath, type Key, type Kind, MEDIA } from '#core/key.ts'
import { Conflict } from '#lib/errors.ts'
import type { FileBytes } from '#lib/files/bytes.ts'
import { composed } from '#lib/text/normal-form.ts'
import type { Outcome } from '#stores/engine/drafts.ts'
import type { SiteFileTable, Tables } from '../tables.ts'

/** The bytes of a media file that are a file of the site: `real` is its path from the content folder. */
interface BesideRow extends FileBytes {
  readonly ref: string
}

/**
 * The files of a site that are the bytes of media: a transfer puts those there that have no sidecar, or are others than it names.
 * What is found there comes before a blob.
 */
export class BesideRows {
  readonly #rows: ReadonlyMap<string, BesideRow>

  /** Reads those of keys. */
  static async read(trx: Transaction<Tables>, keys: readonly Key[]): Promise<BesideRows> {
    const paths = keys.flatMap(({ kind, id }) => (kind === MEDIA ? [`${MEDIA}/${idToPath(id)}`] : []))
    if (paths.length === 0) return new BesideRows([])
    const { rows } = await sql<{ path: string; ref: string; size: number }>`/* prepared */
      select path, ref, size from site_files where area = 'content' and path = any(${paths}::text[])`.execute(trx)
    return new BesideRows(rows.map(({ path, ref, size }) => ({ real: path, ref, size })))
  }

  private constructor(rows: readonly BesideRow[]) {
    this.#rows = new Map(rows.map((row) => [row.real, row]))
  }

  /** Returns the file of the bytes that a document's file describes; the same each time. */
  at(kind: Kind, file: string): BesideRow | undefined {
    const path = describedPath(kind, file)
    return path === undefined ? undefined : this.#rows.get(path)
  }

  /** Throws Conflict where there is such a file. */
  mustBeFree(kind: Kind, file: string): void {
    const row = this.at(kind, file)
    if (row) throw new Conflict(`"content/${row.real}" is in the way.`)
  }

  /** Moves and removes the files with their documents. Bytes that nobody names any more are swept later. */
  async settle(trx: Transaction<Tables>, outcomes: readonly Outcome[]): Promise<void> {
    const gone = new Set<string>()
    const come: Insertable<SiteFileTable>[] = []
    for (const { key, before, after } of outcomes) {
      const [was, is] = [before, after].map((draft) => draft && describedPath(key.kind, draft.file))
      if (was !== undefined && was !== is) gone.add(was)
      const known = is === undefined ? undefined : this.#rows.get(is)
      if (is === undefined || known === after?.beside) continue
      gone.add(is)
      const { ref, size } = this.#rows.get(after?.beside?.real ?? '') ?? {}
      if (ref !== undefined && size !== undefined) come.push({ area: 'content', path: is, ref, size })
    }
    const there = [...gone].filter((path) => this.#rows.has(path))
    if (there.length > 0) await sql`delete from site_files where area = 'content' and path = any(${there}::text[])`.execute(trx)
    if (come.length > 0) await trx.insertInto('site_files').values(come).execute()
  }
}

function describedPath(kind: Kind, file: string): string | undefined {
  const described = describedFile(kind, file)
  return described === undefined ? undefined : composed(described)
}
