import type { Access } from '#core/access/access.ts'
import type { Problem } from '#core/document.ts'
import { type Key, parseKey } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { NotFound, Unreadable } from '#lib/errors.ts'
import { composed } from '#lib/text/normal-form.ts'
import { seesAll } from './rights.ts'

/**
 * The error for a record whose file can't be read; where and why only for who sees all drafts, for the message quotes the file.
 */
export function unreadable(access: Access, problem: Problem, type: string): Unreadable {
  if (!seesAll(access, type)) return new Unreadable('The file of this record can not be read as one.')
  const { file, line, column } = problem
  const place = [file, ...(line === undefined ? [] : [line, ...(column === undefined ? [] : [column])])].join(':')
  const at = { file, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) }
  return new Unreadable(`${place}: ${problem.message}`, at, problem.hint)
}

/** The error for an id that no record has: one whose file's name can't be an id is there, and can't be read as a record. */
export async function missing(store: Store, access: Access, type: string, id: string): Promise<Unreadable | NotFound> {
  const problem = await store.misnamed(type, composed(id))
  return problem ? unreadable(access, problem, type) : new NotFound()
}

/** The key of a record that a request names; throws `missing` where there can be none. */
export async function keyNamed(store: Store, access: Access, type: string, id: string): Promise<Key> {
  const key = parseKey(type, id)
  if (!key) throw await missing(store, access, type, id)
  return key
}
