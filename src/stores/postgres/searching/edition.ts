import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { ContentType, ContentTypes, Field } from '#core/types/content-type.ts'
import type { Analyser } from '#fulltext/analysis/analyser.ts'
import type { Tables } from '../tables.ts'
import { EDITION } from './reading.ts'

/**
 * Returns an identifier of the way this node reads documents. Nodes of the same version and configuration share an index, others
 * have another.
 */
export function editionName(analyser: Analyser, types: ContentTypes): string {
  const parts = [EDITION, analyser.name, types.taxonomies(), types.declared().map(partsOf)]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

/** The progress of an index, and the site. */
export interface Standing {
  readonly site: string
  /** The last sequence of the site. */
  readonly last: number
  /** Undefined where there is no index of this site yet. */
  readonly edition: number | undefined
  /** The sequence up to which all changes are in it. */
  readonly sequence: number
  /** The last document that was read, while all are read; null once all were. */
  readonly scanned: number | null
  /** True if all documents were read once, so that it can be searched. */
  readonly isWhole: boolean
}

interface Row extends Pick<Standing, 'site' | 'last' | 'scanned'> {
  readonly edition: number | null
  readonly place: number | null
  readonly whole: boolean | null
}

/** Reads the state of the index of a name. An index of another site, or of a later state than this site has, counts as none. */
export async function standingOf(db: Kysely<Tables>, name: string): Promise<Standing> {
  const { rows } = await sql<Row>`
    /* prepared */ select s.name as site, s.place as last, e.edition, e.place, e.scanned, e.whole from site s
      left join search_editions e on e.name = ${name} and e.site = s.name and e.place <= s.place`.execute(db)
  const [row] = rows
  if (!row) throw new Error('The table of the site is empty.')
  const { site, last, edition, place, scanned, whole } = row
  return { site, last, edition: edition ?? undefined, sequence: place ?? 0, scanned, isWhole: whole ?? false }
}

/** Returns whether everything that a site had at that time can be found. */
export function isUpTo({ edition, sequence, scanned }: Standing, last: number): boolean {
  return edition !== undefined && scanned === null && sequence >= last
}

/** Returns the parts of a type that affect the search for its records. */
function partsOf({ name, fields, taxonomies }: ContentType): unknown {
  return [name, [...fields.values()].map(fieldParts), taxonomies.map(({ name }) => name)]
}

function fieldParts({ name, type, of, fields }: Field): unknown[] {
  return [name, type, ...(of ? [fieldParts(of)] : []), ...(fields ? [...fields.values()].map(fieldParts) : [])]
}
