import type { Head } from '#core/document.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { AuditedThing } from '../audited-thing.ts'

/** The private kind that tokens are documents of. */
export const KIND = '.tokens'

/** Tokens as the audit log tells of them. */
export const AUDITED_TOKENS: AuditedThing = {
  kind: KIND,
  sort: 'token',
  names: { name: 'name', scopes: 'scopes', types: 'types', expires: 'expires_at', owner: 'owner' },
  title: 'name',
  actions: { deleted: 'token.revoked' },
}

/** A token as a document has it. Times are RFC 3339 UTC; `expiresAt` null is never. */
export interface StoredToken {
  readonly name: string
  /** SHA-256 of its secret, in hex. */
  readonly hash: string
  readonly scopes: readonly string[]
  readonly types: readonly string[]
  readonly createdAt: string | null
  readonly expiresAt: string | null
  /** The id of the user whose it is; undefined for one of the command line. */
  readonly owner: string | undefined
}

/** A token as its document says, to be shown: what can't be read is empty. */
export function readToken({ fields }: Head): StoredToken {
  return {
    name: text(fields.name) ?? '',
    hash: text(fields.hash) ?? '',
    scopes: texts(fields.scopes),
    types: texts(fields.types),
    createdAt: text(fields.created),
    expiresAt: text(fields.expires),
    owner: text(fields.owner) ?? undefined,
  }
}

/** Returns whether a token may be used: one whose end or owner can't be read must not become one without. */
export function isWhole({ fields }: Head): boolean {
  const isSaid = (value: Json | undefined) => value === undefined || value === null || typeof value === 'string'
  const ends = text(fields.expires)
  return (
    text(fields.hash) !== null &&
    isSaid(fields.expires) &&
    isSaid(fields.owner) &&
    !(ends !== null && Number.isNaN(Date.parse(ends)))
  )
}

/** A token as a document has it. */
export function fieldsOf({ name, hash, scopes, types, createdAt, expiresAt, owner }: StoredToken): Fields {
  const fields = { name, hash, scopes: [...scopes], types: [...types], created: createdAt, expires: expiresAt }
  return owner === undefined ? fields : { ...fields, owner }
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
