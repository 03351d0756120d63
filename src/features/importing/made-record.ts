import { aliasesOf } from '#core/aliases.ts'
import type { Head } from '#core/document.ts'
import { formOf } from '#core/files/layout.ts'
import type { EditThread } from '#core/format/edit-thread.ts'
import { type Key, keyOf } from '#core/key.ts'
import { plainPath, urlOf } from '#core/permalink.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import { unheededKeys } from '#frontmatter/hiding-words.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { DataItem, RecordItem } from './item.ts'
import { fileOfNew } from './places.ts'

/** A document as it is to be written. */
export interface Made {
  readonly key: Key
  readonly file: string
  readonly bytes: Buffer
  readonly head: Head
  /** The reason why it is a draft, where its own words don't make it one. */
  readonly hidden?: string | undefined
  /** True where a redirect from its former address was added. */
  readonly redirects?: boolean
}

/** The dependencies of making documents. */
export interface MakingDeps {
  readonly types: ContentTypes
  readonly editing: EditThread
  readonly now: number
}

/** Makes the file of a record: its own bytes where it had some, with what has to be said otherwise. Throws as an edit of it would. */
export async function makeRecord(item: RecordItem, set: Fields, body: string, deps: MakingDeps): Promise<Made> {
  const type = deps.types.get(item.type)
  if (!type) throw new InvalidInput({ type: [`No type can be called "${item.type}".`] })
  const key = keyOf(item.type, item.id)
  const file = fileOfNew(key, item.file)
  const hidden = item.hidden ?? hiddenBy(item.data ?? {}, type, deps.now)
  const wanted = { ...set, ...(hidden !== undefined && { status: draftOf(type) }) }
  const edited = (fields: Fields) => edit(deps, { key, file, fields, body, source: item.source })
  const first = await edited(wanted)
  const aliases = redirectsFor(item.address, type, first.head)
  const { bytes, head } = aliases ? await edited({ ...wanted, aliases }) : first
  return { key, file, bytes, head, hidden, redirects: aliases !== undefined }
}

/** Makes the file of a document that is no record. */
export async function makeData({ kind, id, set }: DataItem, deps: MakingDeps): Promise<Made> {
  const key = keyOf(kind, id)
  const file = fileOfNew(key, undefined)
  const { bytes, head } = await edit(deps, { key, file, fields: set, body: undefined, source: undefined })
  return { key, file, bytes, head }
}

/** Returns the status of what is not public: `draft`, or the first that is not live. */
export function draftOf(type: ContentType): string {
  if (type.statuses.get('draft')?.live === false) return 'draft'
  return [...type.statuses.values()].find(({ live }) => !live)?.name ?? 'draft'
}

interface Wanted {
  readonly key: Key
  readonly file: string
  readonly fields: Fields
  readonly body: string | undefined
  readonly source: Buffer | undefined
}

async function edit({ types, editing }: MakingDeps, { key, file, fields, body, source }: Wanted) {
  const put = { set: fields, ...(source && { source }), ...(body !== undefined && { body }) }
  return editing.edit(types.shape(key.kind), undefined, formOf(key.kind, file), put, key, file)
}

/** A word by which another tool hides a text and that hides nothing here: what was not public must not become so. */
function hiddenBy(data: Readonly<Fields>, type: ContentType, now: number): string | undefined {
  const keys = unheededKeys(data, now).filter((key) => !type.fields.has(key))
  return keys.length === 0 ? undefined : `their front matter hides them (${keys.join(', ')})`
}

/** The aliases of a record with its former address, where its page is not there; undefined where nothing is to be added. */
function redirectsFor(address: string | undefined, type: ContentType, head: Head): Fields['aliases'] | undefined {
  const former = address === undefined ? undefined : plainPath(address)
  const url = urlOf(type, head)
  if (former === undefined || former === '/' || url === null || former === url) return undefined
  const { aliases = [] } = head.fields
  if (aliasesOf(head, url).includes(former)) return undefined
  // One that no page can have would be a problem of the record.
  if (!aliasesOf({ fields: { aliases: [former] } }, url).includes(former)) return undefined
  return [...(Array.isArray(aliases) ? aliases : aliases === null ? [] : [aliases]), former]
}
