import type { Document } from '#core/document.ts'
import { everyDocument } from '#core/every-document.ts'
import { FeedFollower } from '#core/feed/feed-follower.ts'
import { keyOfFile } from '#core/files/layout.ts'
import { idToPath, type Key, keyText } from '#core/key.ts'
import { markOf, UNNAMED_MARK } from '#core/links/marks.ts'
import type { ScanThread } from '#core/links/scan-thread.ts'
import { ownFolderOf } from '#core/media/attachments.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes, Field } from '#core/types/content-type.ts'
import { holds, rewritten, targetOf } from '#core/types/fields.ts'
import type { Fields } from '#lib/json.ts'

/** A record and the marks of what it links to; undefined if they are not known. */
interface Known {
  readonly key: Key
  readonly marks: Uint32Array | undefined
  readonly isReadable: boolean
  readonly hasFolder: boolean
}

/** Number of changes that are taken in at once. */
const CHANGES_AT_ONCE = 100
const NO_MARKS = new Uint32Array()

/**
 * The records of a site with what they may link to, read when it is first asked for and kept current from the store's feed of
 * changes: who finds the links to one record has then to read only those that may have one.
 */
export class LinkIndex {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #scanner: ScanThread
  readonly #follower: FeedFollower
  #known = new Map<string, Known>()

  constructor(parts: { store: Store; types: ContentTypes }, scanner: ScanThread) {
    this.#store = parts.store
    this.#types = parts.types
    this.#scanner = scanner
    const take = async (keys: readonly Key[]) => {
      for (const key of keys) await this.#look(key)
    }
    this.#follower = new FeedFollower(parts.store, { readAll: () => this.#readAll(), take }, { part: CHANGES_AT_ONCE })
  }

  /** Brings the index up to every write that resolved before the call. */
  refresh(): Promise<void> {
    return this.#follower.runs.run()
  }

  /** Returns whether there is a readable record with this key. */
  has(key: string): boolean {
    return this.#known.get(key)?.isReadable === true
  }

  /** Returns whether there is a record with this key that has a folder of its own, or may have. */
  hasFolder(key: string): boolean {
    return this.#known.get(key)?.hasFolder === true
  }

  /**
   * The records, unreadable ones too, that may have a link to one of these addresses, each a path of a page or of a file without
   * extension.
   */
  linking(addresses: readonly string[]): Key[] {
    const marks = addresses.map(markOf)
    const wanted = [...marks, UNNAMED_MARK]
    const isIn = (found: Uint32Array) => wanted.some((mark) => mark === undefined || includes(found, mark))
    return [...this.#known.values()].filter(({ marks: found }) => found === undefined || isIn(found)).map(({ key }) => key)
  }

  /** The records, unreadable ones too, whose ids are below that of a key, as text. */
  below(key: string): Key[] {
    return [...this.#known].flatMap(([text, known]) => (text.startsWith(`${key}~`) ? [known.key] : []))
  }

  async #look(key: Key): Promise<void> {
    if (!this.#isRecord(key.kind)) return
    const document = await this.#store.get(key)
    if (document) await this.#keep(document, this.#known)
    else this.#known.delete(keyText(key))
  }

  async #readAll(): Promise<void> {
    const known = new Map<string, Known>()
    for (const kind of await this.#store.kinds()) {
      if (!this.#isRecord(kind)) continue
      for await (const document of everyDocument(this.#store, kind)) await this.#keep(document, known)
    }
    for (const { severity, file } of await this.#store.problems()) {
      const document = severity === 'error' ? await this.#unreadable(file) : undefined
      if (document) await this.#keep(document, known)
    }
    this.#known = known
  }

  /** The record whose file this is: its path begins with the folder of the content, wherever that is. */
  async #unreadable(file: string): Promise<Document | undefined> {
    const parts = file.split('/')
    for (let from = 0; from < parts.length; from++) {
      const key = keyOfFile(parts.slice(from).join('/'))
      const document = key && this.#isRecord(key.kind) ? await this.#store.get(key) : undefined
      if (document?.problem?.file === file) return document
    }
    return undefined
  }

  async #keep(document: Document, known: Map<string, Known>): Promise<void> {
    const type = this.#types.get(document.key.kind)
    if (!type) return
    const text = document.source?.toString('utf8') ?? document.body
    const marks = withReferences(await this.#scanner.marks(text), type, document.fields)
    known.set(keyText(document.key), {
      key: document.key,
      marks: marks?.length === 0 ? NO_MARKS : marks,
      isReadable: document.problem?.severity !== 'error',
      hasFolder: ownFolderOf(document) !== undefined,
    })
  }

  #isRecord(kind: string): boolean {
    return !kind.startsWith('.') && !kind.includes('/') && this.#types.get(kind) !== undefined
  }
}

/** Returns the fields with references within lists or objects, which no query finds. */
export function deepReferences(type: ContentType): Field[] {
  const isReference = (field: Field) => field.type === 'reference'
  return [...type.fields.values()].filter((field) => targetOf(field) === undefined && holds(field, isReference))
}

/** Ids that stand in lists and objects need not look like links in the text. */
function withReferences(marks: Uint32Array | undefined, type: ContentType, fields: Readonly<Fields>): Uint32Array | undefined {
  const all = new Set(marks)
  for (const field of deepReferences(type)) {
    rewritten(field, fields[field.name], (one, id) => {
      if (one.type === 'reference' && typeof id === 'string') all.add(markOf(idToPath(id)) ?? UNNAMED_MARK)
      return undefined
    })
  }
  return marks && all.size > marks.length ? new Uint32Array(all).sort() : marks
}

/** Returns whether an ascending list of numbers contains one. */
function includes(numbers: Uint32Array, wanted: number): boolean {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return numbers[low] === wanted
}
