import { datedHead, type KnownDates } from '#core/dates.ts'
import type { Head } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import type { BrowseIndex } from '../index/browse-index.ts'
import type { FileRegistry } from './file-registry.ts'
import { type Entry, pathOf } from './registry.ts'

/** The holders of heads that are to be dated. */
interface Held {
  registry: FileRegistry
  index: BrowseIndex
  documents: { redate(key: Key): void }
}

/**
 * Puts the dates that history knows into heads, where front matter does not say. What is kept of a file (its entry, the snapshot)
 * stays as the file says.
 */
export class Dating {
  readonly #known: (path: string) => KnownDates | undefined

  constructor(known: (path: string) => KnownDates | undefined) {
    this.#known = known
  }

  /** The head of the file at a path, dated as far as is known now. */
  dated(head: Head, path: string): Head {
    return datedHead(head, this.#known(path))
  }

  /** Dates anew what is listed of some paths, or of all, some at a time; resolves when every list and document shows it. */
  async apply({ registry, index, documents }: Held, paths: readonly string[] | undefined): Promise<void> {
    const slices = new Slices()
    for (const entry of paths ? entriesAt(registry, paths) : registry.folders.contentEntries()) {
      const [only, second] = registry.claims(entry.head.key)
      if (only === entry && !second && index.redate(this.dated(entry.head, pathOf(entry)))) documents.redate(entry.head.key)
      if (slices.isOver) await slices.pause()
    }
  }
}

function* entriesAt(registry: FileRegistry, paths: readonly string[]): Generator<Entry> {
  for (const path of paths) {
    const key = registry.places.keyAt(path)
    if (key) yield* registry.claims(key).filter((entry) => pathOf(entry) === path)
  }
}
