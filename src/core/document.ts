import type { Fields } from '#lib/json.ts'
import type { Key } from './key.ts'

/** Approximate bytes of a document besides its text. */
const OVERHEAD = 1000

/** A problem of a file, and how to fix it. `line` and `column` count from 1. */
export interface Problem {
  /** Path from the site's root with `/`, or the key's text where there are no files. */
  file: string
  line?: number
  column?: number
  message: string
  hint?: string
  /** An unreadable file is not served (`error`); a readable one with something odd in it is (`warning`). */
  severity: 'error' | 'warning'
}

/** The git blob id of a document's bytes (SHA-1 of `blob <length>\0` and the bytes): 40 hex digits. */
export type Version = string

/** The version of no bytes: that of a thing which has no file yet. */
export const NO_BYTES: Version = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

/**
 * A document without its body: what an index keeps. `fields` are Quire's names and forms, whatever the file calls them (see
 * `core/format`): times RFC 3339 UTC with milliseconds, terms as ids, `title`, `slug` and `status` always there for content
 * types. The `status` is the stored one; what the clock makes of it is `core/status.ts`.
 */
export interface Head {
  readonly key: Key
  readonly fields: Readonly<Fields>
  readonly version: Version
  /** From front matter, else from history; absent where neither knows. RFC 3339 UTC with milliseconds. */
  readonly createdAt?: string
  readonly updatedAt?: string
  /** Set if one of these dates is from history. It can then appear or change while the version stays the same. */
  readonly datedByHistory?: true
  /**
   * Set where some of its fields are of its file's path or of declared terms: they can become others while the version stays. Of
   * documents alone.
   */
  readonly saidElsewhere?: true
  /**
   * The names of its terms by taxonomy, one for each that its file calls otherwise than by the id: readable, of 200 characters at
   * most.
   */
  readonly termNames?: Readonly<Record<string, string[]>>
  /** Set if it is the page of a section (`_index.md`). It is in no list of the section. */
  readonly isSection?: true
  /** Set if its file is the `index` of a folder (`trip/index.md`): the files in there are its own. */
  readonly hasFolder?: true
  /** The folder of its file, below the content folder, where its key does not say it: `folderOf` in `core/media/attachments.ts` knows all. */
  readonly folder?: string
  /** Set when the bytes can't be read as a record: then `fields` is empty and the body is ''. */
  readonly problem?: Problem
}

/** A document whole. `source` is what its file holds (content kinds): the body is a part of it. */
export interface Document extends Head {
  readonly body: string
  readonly source?: Buffer
  /**
   * In a revision: where the bytes were, from the content folder with `/` (`posts/2026/hello.md`). A `Put` takes it to bring them
   * back there.
   */
  readonly file?: string
}

/**
 * Returns the approximate bytes of memory that a document takes: twice its own, since what is made of it (its JSON) lives as long
 * as it does.
 */
export function bytesOf({ source, body }: Document): number {
  return OVERHEAD + 2 * (source?.length ?? body.length)
}

/** The author of a change: the name and e-mail address of the commit. */
export interface Author {
  readonly name: string
  readonly email: string
  /** The request that they act in: for the audit log. No history has it. */
  readonly request?: ActingRequest | undefined
}

/** A request that changes something: its id, its client's network address, and the token or session that it used. */
export interface ActingRequest {
  readonly id: string
  readonly ip: string
  readonly via: string | null
}
