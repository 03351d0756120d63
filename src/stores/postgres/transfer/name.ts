import { whereaboutsOf } from '../opening.ts'

/** A database in words, without its password. */
export function nameOf(url: string): string {
  const { server, database, schema } = whereaboutsOf(url)
  return `PostgreSQL at ${server}, database ${database}, schema ${schema}`
}
