import { hash } from 'node:crypto'
import { Stale } from '#lib/errors.ts'

declare const made: unique symbol

/**
 * An entity tag with its quotes, as the header ETag has it (RFC 9110 §8.8.3). Only this module makes one, and only it and
 * `answers.ts` decide by one (RFC 9110 §13). All are strong.
 */
export type ETag = string & { readonly [made]: true }

/** Bytes with the ETag that stands for them. */
export interface Tagged {
  readonly body: Buffer
  readonly etag: ETag
}

/** Returns the ETag of an answer by its bytes, or by a text that tells it from all others at its address. */
export function etagOf(content: Buffer | string): ETag {
  return quoted(hash('sha1', content, 'hex'))
}

/**
 * Returns the ETag of a document's version, which `If-Match` may name. `rest` is what is answered of it beside, or otherwise,
 * than its bytes say; it stands after a `-`.
 */
export function versionETag(version: string, rest = ''): ETag {
  return quoted(rest === '' ? version : `${version}-${shortHash(rest)}`)
}

/** Returns the ETag of the same bytes in a coding: other bytes, and so another ETag. */
export function encodedETag(etag: ETag, coding: string): ETag {
  return quoted(`${etag.slice(1, -1)}-${coding}`)
}

/** Returns bytes with their ETag. */
export function tagged(body: Buffer): Tagged {
  return { body, etag: etagOf(body) }
}

/** Returns data as JSON with its ETag. */
export function taggedJson(data: object): Tagged {
  return tagged(Buffer.from(JSON.stringify(data)))
}

/** Eight hex digits that stand for a text in an ETag. */
export function shortHash(text: string): string {
  return hash('sha1', text, 'hex').slice(0, 8)
}

/**
 * The opaque values of an `If-Match` or `If-None-Match` header, without quotes and `W/`; `*` stands for itself. Undefined where
 * there is no header.
 */
export function entityTags(header: string | undefined): string[] | undefined {
  if (header === undefined) return undefined
  return [...header.matchAll(/(?:W\/)?"([^"]*)"|(\*)|([^\s,"]+)/g)].map(([, opaque, star, bare]) => opaque ?? star ?? bare ?? '')
}

/** Returns whether `If-None-Match` names this ETag, by weak comparison (RFC 9110 §13.1.2). */
export function isKnown(header: string | undefined, etag: ETag): boolean {
  if (header === undefined) return false
  if (header === etag) return true
  const opaque = etag.slice(1, -1)
  return entityTags(header)?.some((tag) => tag === '*' || tag === opaque) ?? false
}

/**
 * Versions that a write is for: those that `If-Match` names, without quotes, or `*` for any; `absent` where nothing may be there,
 * as `If-None-Match: *` says (RFC 9110 §13.1.1, §13.1.2).
 */
export type Precondition = readonly string[] | 'absent'

/** Returns the precondition of a write that may begin from one version alone, or from none. */
export function preconditionOf(base: string | undefined): Precondition | undefined {
  return base === undefined || base === 'absent' ? base : [base]
}

/**
 * Throws Stale, with this message or its own, where a write is for another version than there is now. What does not exist has no
 * version.
 */
export function mustMatch(ifMatch: Precondition | undefined, version: string | undefined, message?: string): void {
  if (!ifMatch) return
  if (ifMatch === 'absent') {
    if (version === undefined) return
    throw new Stale(message)
  }
  if (version !== undefined && ifMatch.some((tag) => tag === '*' || tag.split('-', 1)[0] === version)) return
  throw new Stale(message)
}

/**
 * As `mustMatch`, of an answer that is of more than the version: what `If-Match` names is this very answer, or a version alone.
 * Returns whether it is the answer.
 */
export function mustMatchAnswer(ifMatch: Precondition | undefined, version: string, etag: ETag, message?: string): boolean {
  if (!ifMatch) return false
  const tags = ifMatch === 'absent' ? [] : ifMatch
  if (tags.some((tag) => quoted(tag) === etag)) return true
  if (tags.some((tag) => tag === '*' || tag === version)) return false
  throw new Stale(message)
}

/**
 * As `mustMatch`, of a part of a document: `If-Match` names what stands after the `-` in the ETag, by the text that it was made
 * of. Returns false where it names another, or names one and there is none.
 */
export function matchesRest(ifMatch: Precondition | undefined, rest: string | undefined): boolean {
  if (ifMatch === 'absent') return rest === undefined
  if (!ifMatch || rest === undefined) return !ifMatch
  return ifMatch.some((tag) => tag === '*' || tag.slice(tag.lastIndexOf('-') + 1) === shortHash(rest))
}

function quoted(opaque: string): ETag {
  return `"${opaque}"` as ETag
}
