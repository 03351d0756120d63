import { aliasesOf } from '#core/aliases.ts'
import type { Document, Head, Version } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import { folderOf } from '#core/media/attachments.ts'
import type { MediaKnowing } from '#core/media/media-values.ts'
import { permalinkOf } from '#core/permalink.ts'
import type { SortKey } from '#core/queries/comparison.ts'
import { instantOf } from '#core/status.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { isUnlisted } from '#frontmatter/other-tools.ts'
import type { Fields, Json } from '#lib/json.ts'
import { isNewestFirst, sortKeysOf } from './order.ts'
import { picturedIn } from './pictured.ts'
import { termIdsOf } from './term-ids.ts'

/** The data by which the clock decides if a record is live. */
export interface Timed {
  readonly type: ContentType
  /** Fields that decide if it is live: `status`, `published_at`, `expires_at`. */
  readonly timing: Readonly<Fields>
}

/** The data that the site keeps in memory for a record that has, or should have, a page. */
export interface Entry extends Timed {
  readonly key: Key
  readonly version: Version
  readonly title: string
  readonly url: string | null
  /** The template that it names for itself. */
  readonly template: string | undefined
  /** Reason why there is no page, as the end of a sentence. */
  readonly fault: string | undefined
  readonly aliases: readonly string[]
  /** Milliseconds since 1970. */
  readonly published: number | undefined
  /** The values that its type's lists are ordered by; absent where that is `published` alone. */
  readonly order?: readonly SortKey[]
  /** RFC 3339: when it was last changed, as far as known. */
  readonly modified: string | undefined
  /** Term ids by taxonomy, of those that have any. */
  readonly terms: Readonly<Record<string, readonly string[]>>
  /** By taxonomy, where its file calls any of them otherwise; see `Head.termNames`. */
  readonly termNames: NonNullable<Head['termNames']>
  readonly noindex: boolean
  /** True if it is in no list. It has its page all the same. */
  readonly unlisted: boolean
  /** True if it is the page of a section, and so in no list of it. */
  readonly isSection: boolean
  /** The folder of its file, below content/. */
  readonly folder: string
  /** True if the files in that folder are its own. */
  readonly hasFolder: boolean
  /** As its file has it. */
  readonly author: Json
  /** The part of its fields that names its picture; see `picturedIn`. */
  readonly pictured: Readonly<Fields> | undefined
  /** The document itself, where it is none that the store has. */
  readonly draft?: Document
  /** Those media files whose texts its page may tell, where that is not all of them. */
  readonly knows?: MediaKnowing
}

const NONE: readonly string[] = []
const NO_NAMES = {}

/** Returns what the site keeps of a record; without `withTerms` it names none. */
export function entryOf(type: ContentType, head: Head, withTerms: boolean): Entry {
  const { url, fault } = permalinkOf(type, head)
  const fields = head.fields
  const published = instantOf(fields.published_at)
  const entry: Entry = {
    key: head.key,
    version: head.version,
    type,
    title: typeof fields.title === 'string' ? fields.title : head.key.id,
    url,
    template: typeof fields.template === 'string' ? fields.template.replace(/\.liquid$/, '') : undefined,
    fault,
    aliases: url === null || fields.aliases == null ? NONE : aliasesOf(head, url),
    published,
    modified: head.updatedAt ?? (published === undefined ? undefined : new Date(published).toISOString()),
    timing: timingOf(fields),
    terms: withTerms ? termIdsOf(type, fields) : {},
    termNames: (withTerms && head.termNames) || NO_NAMES,
    noindex: fields.noindex === true,
    unlisted: isUnlisted(fields),
    isSection: head.isSection === true,
    folder: folderOf(head),
    hasFolder: head.hasFolder === true,
    author: fields.author ?? null,
    pictured: picturedIn(fields),
  }
  return isNewestFirst(type) ? entry : { ...entry, order: sortKeysOf(type, head) }
}

/** Returns the fields of a record that decide if it is live. */
export function timingOf(fields: Readonly<Fields>): Fields {
  const { status = null, published_at = null, expires_at = null } = fields
  return expires_at === null ? { status, published_at } : { status, published_at, expires_at }
}
