import type { Blobs } from '#core/media/blobs.ts'
import { whereaboutsOf } from '../opening.ts'
import type { PostgresOptions } from '../options.ts'

/** The database of a site that is carried. `blobs` are those in it if nothing is said. */
export type CarriedDatabase = PostgresOptions & { readonly blobs?: Blobs }

/** A database in words, without its password. */
export function nameOf(url: string): string {
  const { server, database, schema } = whereaboutsOf(url)
  return `PostgreSQL at ${server}, database ${database}, schema ${schema}`
}
