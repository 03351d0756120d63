import type { Head } from '#core/document.ts'
import { Hints } from '#core/feed/hints.ts'
import type { SiteFile, SiteFiles } from '#core/files/site-files.ts'
import { type Key, MEDIA } from '#core/key.ts'
import { mediaAt, mediaUrl } from '#core/media/media.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Slices, sortedInSlices } from '#lib/concurrency/slices.ts'
import { compareText } from '#lib/text/compare.ts'
import { aliasesOf } from './sidecar.ts'

/** A media file: its sidecar, where it has one, and the file of its bytes, where they lie beside. One of the two is there. */
export interface Entry<H extends Head = Head> {
  readonly key: Key
  readonly head: H | undefined
  readonly file: SiteFile | undefined
}

/** The dependencies of the library. */
export interface LibraryDeps {
  readonly store: Store
  readonly siteFiles: SiteFiles
  readonly clock: Clock
}

/** Number of files that are asked for at once. */
const AT_ONCE = 1000

/** The media of a site, for nobody's rights: those with a sidecar, and files that have none. */
export class Library {
  readonly #store: Store
  readonly #siteFiles: SiteFiles
  readonly #hints: Hints
  #all: { readonly state: number; readonly entries: Promise<readonly Entry[]> } | undefined
  #moved: { readonly of: readonly Entry[]; readonly keys: ReadonlyMap<string, Key> } | undefined

  constructor({ store, siteFiles, clock }: LibraryDeps) {
    this.#store = store
    this.#siteFiles = siteFiles
    this.#hints = new Hints(store, clock)
  }

  close(): void {
    this.#hints.close()
  }

  /** All there are, by id. All who ask at one time share the list; of files without a sidecar it may be a second old. */
  all(): Promise<readonly Entry[]> {
    const { state } = this.#hints
    if (this.#all?.state === state) return this.#all.entries
    const entries = this.#read()
    this.#all = { state, entries }
    entries.catch(() => {
      if (this.#all?.entries === entries) this.#all = undefined
    })
    return entries
  }

  /** The media file of a key as it is now; undefined where there is none. */
  async one(key: Key) {
    const head = await this.#store.get(key)
    const file = await this.fileOf(key)
    return head || file ? { key, head, file } : undefined
  }

  /** The key that a media file was moved to from this one, at last; undefined where none was. */
  async movedTo(key: Key): Promise<Key | undefined> {
    const entries = await this.all()
    if (this.#moved?.of !== entries) this.#moved = { of: entries, keys: movedKeys(entries) }
    return this.#moved.keys.get(mediaUrl(key.id))
  }

  /** Returns whether the address of a key is a former one of another media file than `but`. */
  async isFormer(key: Key, but: Key): Promise<boolean> {
    const isOfKey = { field: 'aliases', op: 'eq', value: mediaUrl(key.id), as: 'text' } as const
    const { items } = await this.#store.heads(MEDIA, { where: [isOfKey], limit: 2 })
    return items.some((head) => head.key.id !== but.id)
  }

  /**
   * Returns whether a key is no new one: it is a media file's now, or was one's before, or a file differs from it in case alone, which
   * some disks take for the same.
   */
  async isTaken(key: Key): Promise<boolean> {
    return (
      (await this.one(key)) !== undefined || (await this.isFormer(key, key)) || this.#siteFiles.isTaken('content', pathOf(key))
    )
  }

  /** The file with the bytes of a media file, where they lie beside its sidecar. */
  fileOf(key: Key): Promise<SiteFile | undefined> {
    return fileBeside(this.#siteFiles, key)
  }

  async #read(): Promise<readonly Entry[]> {
    const { items } = await this.#store.heads(MEDIA, {})
    const found = new Map<string, Entry>(items.map((head) => [head.key.id, { key: head.key, head, file: undefined }]))
    const slices = new Slices()
    for (let after: string | undefined, isOver = false; !isOver; ) {
      const part = await this.#siteFiles.list('content', { below: MEDIA, limit: AT_ONCE, ...(after !== undefined && { after }) })
      for (const file of part) {
        const key = mediaAt(file.path.slice(MEDIA.length + 1))
        if (key) found.set(key.id, { key, head: found.get(key.id)?.head, file })
        if (slices.isOver) await slices.pause()
      }
      after = part.at(-1)?.path
      isOver = part.length < AT_ONCE
    }
    return sortedInSlices([...found.values()], (a, b) => compareText(a.key.id, b.key.id), slices)
  }
}

/** Finds the file with the bytes of a media file, where they lie beside its sidecar. */
export function fileBeside(siteFiles: SiteFiles, key: Key): Promise<SiteFile | undefined> {
  return siteFiles.find('content', pathOf(key))
}

/** The path of a media file below the folder of the content. */
export function pathOf({ id }: Key): string {
  return `${MEDIA}/${id.replaceAll('~', '/')}`
}

/** The keys of media by their former addresses. */
function movedKeys(entries: readonly Entry[]): Map<string, Key> {
  const found = new Map<string, Key>()
  for (const { key, head } of entries) for (const alias of head ? aliasesOf(key, [head]) : []) found.set(alias, key)
  return found
}
