import type { Kysely } from 'kysely'
import type { Action, Revision } from '#core/history/revision.ts'
import type { Key } from '#core/key.ts'
import type { RevisionTable, Tables } from '../tables.ts'

/** A revision, and where its bytes are. */
export interface Link {
  readonly revision: Revision
  /** Of the revision's row: the key that the record had then, and the place. */
  readonly kind: string
  readonly id: string
  readonly place: number
  readonly file: string
}

/** The revisions of a record in writes before a place, newest first, and on with those of the key that it was moved from. */
export async function chainOf(db: Kysely<Tables>, key: Key, before: number = Number.MAX_SAFE_INTEGER): Promise<Link[]> {
  const chain: Link[] = []
  for (let at: Owner | undefined = { ...key, before }; at; ) {
    const owner: Owner = at
    const rows = await rowsOf(db, owner)
    const origin = rows.findIndex(({ moved_from }) => moved_from !== null)
    const own = origin < 0 ? rows : rows.slice(0, origin + 1)
    chain.push(...own.map((row) => linkOf(row, owner)))
    at = ownerBefore(own.at(-1))
  }
  return chain
}

/** The key that a record had, in the writes before a place. */
interface Owner {
  readonly kind: string
  readonly id: string
  readonly before: number
}

function ownerBefore(row: { moved_from: string | null; place: number } | undefined): Owner | undefined {
  if (!row?.moved_from) return undefined
  const slash = row.moved_from.lastIndexOf('/')
  return { kind: row.moved_from.slice(0, slash), id: row.moved_from.slice(slash + 1), before: row.place }
}

function rowsOf(db: Kysely<Tables>, { kind, id, before }: Owner) {
  return db
    .selectFrom('revisions')
    .innerJoin('writes', 'writes.place', 'revisions.place')
    .select(['revisions.place', 'revisions.number', 'revisions.at', 'revisions.action', 'revisions.version', 'revisions.file'])
    .select(['revisions.moved_from', 'revisions.is_end', 'writes.name', 'writes.email', 'writes.message'])
    .where('revisions.kind', '=', kind)
    .where('revisions.id', '=', id)
    .where('revisions.place', '<', before)
    .orderBy('revisions.place', 'desc')
    .execute()
}

function linkOf(row: Awaited<ReturnType<typeof rowsOf>>[number], { kind, id }: Owner): Link {
  return { revision: revisionOf(row), kind, id, place: row.place, file: row.file }
}

/** A revision's row, and that of its write. */
export interface RevisionRow extends Pick<RevisionTable, 'number' | 'at' | 'action' | 'version' | 'is_end'> {
  readonly name: string
  readonly email: string
  readonly message: string
}

/** Returns the revision that a row holds. */
export function revisionOf({ number, at, action, version, is_end, name, email, message }: RevisionRow): Revision {
  return {
    number,
    at,
    action: action as Action,
    by: { name, email },
    message,
    ...(version !== null && { version }),
    ...(is_end && { isEnd: true as const }),
  }
}
