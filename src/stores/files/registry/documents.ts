import { setTimeout as pause } from 'node:timers/promises'
import { datedHead, type KnownDates } from '#core/dates.ts'
import { bytesOf, type Document, type Head, type Version } from '#core/document.ts'
import { readDocument, withHead } from '#core/format/read.ts'
import { isPrivate, type Key, keyText } from '#core/key.ts'
import type { Page } from '#core/queries/query.ts'
import { Cache } from '#lib/cache.ts'
import type { Tree } from '../disk/tree.ts'
import type { Dating } from './dating.ts'
import { MAX_FILE_BYTES } from './entry-reader.ts'
import type { FileRegistry } from './file-registry.ts'
import { type Entry, pathOf } from './registry.ts'

/** Bytes of documents that are kept. */
const KEPT_BYTES = 64 * 1024 * 1024
/** Number of attempts to read files that keep changing meanwhile. */
const TRIES = 5
/** Milliseconds that a file which was emptied is waited for, and between two looks at it. */
const PATIENCE_MS = 1_000
const PAUSE_MS = 10

/** An earlier content of a file, its path from the site's root, and its dates. */
type Former = { bytes: Buffer; path: string } & KnownDates

/** Whole documents: bodies stay on the disk, those asked for of late in memory. */
export class Documents {
  readonly #tree: Tree
  readonly #registry: FileRegistry
  readonly #dating: Dating
  readonly #isChanging: () => boolean
  readonly #hot = new Cache<Document>({ bytes: KEPT_BYTES, sizeOf: bytesOf })

  /** `isChanging` says that files are in the middle of being changed: one that is missing then is not taken for gone. */
  constructor(tree: Tree, registry: FileRegistry, dating: Dating, isChanging: () => boolean) {
    this.#tree = tree
    this.#isChanging = isChanging
    this.#registry = registry
    this.#dating = dating
  }

  /** The document a key stands for, the same object as long as it is hot and unchanged; undefined where there is none. */
  get(key: Key, once?: 'once'): Document | undefined {
    const text = keyText(key)
    const hot = this.#hot.get(text)
    if (hot) return hot
    const document = this.#read(key, once)
    if (document && once === undefined) this.#hot.set(text, document)
    return document
  }

  /** As `get`; a file that was emptied a moment ago is waited for. */
  async settled(key: Key, once?: 'once'): Promise<Document | undefined> {
    for (const end = performance.now() + PATIENCE_MS; ; await pause(PAUSE_MS)) {
      const document = this.get(key, once)
      if (document || performance.now() > end || !this.#registry.putOff.has(this.fileOf(key) ?? '')) return document
    }
  }

  /** The head of a document that can be read; undefined for any other, and for what is private. */
  head(key: Key): Head | undefined {
    const [entry, second] = isPrivate(key.kind) ? [] : this.#registry.claims(key)
    if (!entry || second || entry.head.problem?.severity === 'error') return undefined
    return this.#dating.dated(entry.head, pathOf(entry))
  }

  /** Returns the bytes of a document that is hot, if it is of this version. */
  source(key: Key, version: Version): Buffer | undefined {
    const hot = this.#hot.get(keyText(key))
    return hot?.version === version ? hot.source : undefined
  }

  /** The file of a document, from the site's root with `/`; undefined where there is none. */
  fileOf(key: Key): string | undefined {
    const [entry] = this.#registry.claims(key)
    return entry && pathOf(entry)
  }

  /** As `get`, having looked at every place where the document might be. */
  getAnew(key: Key): Document | undefined {
    this.#registry.lookAtPlaces(this.#registry.places.candidates(key))
    return this.get(key)
  }

  /**
   * The documents of a page of heads, and how many it lists: some may be gone. Where the file of one turns out to be another than
   * was listed, the page is looked up anew: what the file says now may not belong there.
   */
  of(look: () => Page<Head>): Page<Document> & { listed: number } {
    for (let tries = 1; ; tries++) {
      const { items: heads, total } = look()
      const found = heads.map(({ key }) => this.get(key))
      const items = found.flatMap((document, n) => (document && document.version === heads[n]?.version ? document : []))
      const isAsListed = items.length === found.filter((document) => document).length
      if (isAsListed || tries === TRIES) return { items, total, listed: heads.length }
    }
  }

  /** Returns an earlier content of a file, as the document it was. */
  former(key: Key, { bytes, path, ...known }: Former): Document {
    const form = this.#registry.places.formOf(key.kind, path)
    const document = datedHead(readDocument(key, this.#registry.shape(key.kind), bytes, form, path), known)
    return { ...document, file: path.slice(this.#tree.content.length + 1) }
  }

  /** Lets go of a document that changed, for the one that has just been written, and read from the bytes that were. */
  changed(key: Key, written: Document | undefined): void {
    const text = keyText(key)
    const [entry, second] = this.#registry.claims(key)
    const source = written?.source
    const whole = entry && !second && source && this.#whole(entry, { ...written, source: ownCopy(source) })
    if (whole) this.#hot.set(text, whole)
    else this.#hot.delete(text)
  }

  /** Has a document, where it is kept, bear the dates that are known by now. */
  redate(key: Key): void {
    const text = keyText(key)
    const hot = this.#hot.get(text)
    const [entry] = this.#registry.claims(key)
    const whole = hot && entry && this.#whole(entry, hot)
    if (whole) this.#hot.set(text, whole)
    else this.#hot.delete(text)
  }

  /** A file that is found to be another than the one looked at is looked at again: what is read is always the truth. */
  #read(key: Key, once?: 'once'): Document | undefined {
    for (let tries = 0; tries < TRIES; tries++) {
      const [entry, second] = this.#registry.claims(key)
      if (!entry || second || entry.head.version === '') break
      const document = this.#readEntry(entry, once)
      if (document) return document
      if (this.#isChanging()) return undefined
      this.#registry.lookAt(pathOf(entry), true)
      if (this.#registry.putOff.has(pathOf(entry))) return undefined
    }
    const head = this.#registry.head(key)
    return head && { ...head, body: '' }
  }

  #readEntry(entry: Entry, once?: 'once'): Document | undefined {
    const path = pathOf(entry)
    const { head } = entry
    const reading = this.#tree.tryRead(path, MAX_FILE_BYTES)
    if (!reading || reading.bytes.length > MAX_FILE_BYTES) return undefined
    const { kind } = head.key
    const form = this.#registry.places.formOf(kind, path)
    const document = withHead(head, this.#registry.shape(kind), ownCopy(reading.bytes), form, path)
    return document && this.#whole(entry, document, once)
  }

  /** Joins the entry of a file with the body read from it; undefined if that is of another version. */
  #whole(entry: Entry, document: Document, once?: 'once'): Document | undefined {
    if (document.version !== entry.head.version) return undefined
    const head = this.#dating.dated(entry.head, pathOf(entry))
    const whole = document.saidElsewhere ? { ...head, saidElsewhere: document.saidElsewhere } : head
    const { source, body } = document
    if (!source) return { ...whole, body }
    return once === undefined ? withBody(whole, source, body) : { ...whole, body, source }
  }
}

/** The body is mostly the end of the source: kept there alone, and decoded when asked for. */
function withBody(head: Head, source: Buffer, body: string): Document {
  const start = source.length - Buffer.byteLength(body)
  if (start < 0 || source.toString('utf8', start) !== body) return { ...head, body, source }
  return {
    ...head,
    get body() {
      return source.toString('utf8', start)
    },
    source,
  }
}

/** Of exactly its size: a share of the pool would keep the whole of it. */
function ownCopy(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
