import type { Kind } from '#core/key.ts'
import { compareText } from '#lib/text/compare.ts'
import { PRIVATE } from '../disk/tree.ts'
import type { Places } from './places.ts'
import type { Folder } from './problems.ts'
import type { Entry } from './registry.ts'

/** The folders that were looked at, by their paths, and what follows from which there are. */
export class Folders {
  readonly #content: string
  readonly #places: Places
  readonly #folders = new Map<string, Folder>()
  #kinds: readonly Kind[] | undefined

  /** `content` is the path of the folder of content. */
  constructor(content: string, places: Places) {
    this.#content = content
    this.#places = places
  }

  get(path: string): Folder | undefined {
    return this.#folders.get(path)
  }

  has(path: string): boolean {
    return this.#folders.has(path)
  }

  set(path: string, folder: Folder): void {
    if (!this.#folders.has(path)) this.#kinds = undefined
    this.#folders.set(path, folder)
  }

  delete(path: string): void {
    if (this.#folders.delete(path)) this.#kinds = undefined
  }

  /** Takes note that a file came to a folder or went. */
  filesChanged(path: string): void {
    if (path === this.#content) this.#kinds = undefined
  }

  paths(): IterableIterator<string> {
    return this.#folders.keys()
  }

  all(): ReadonlyMap<string, Folder> {
    return this.#folders
  }

  /** The paths of the private ones. */
  privatePaths(): string[] {
    return [...this.#folders.keys()].filter((path) => path.startsWith(PRIVATE))
  }

  /** Number of document files. */
  get size(): number {
    return [...this.#folders.values()].reduce((size, { files }) => size + files.size, 0)
  }

  /** The files of content. */
  *contentEntries(): Generator<Entry> {
    for (const [path, { files }] of this.#folders) if (!path.startsWith(PRIVATE)) yield* files.values()
  }

  /** The kinds of content there is a folder or a file of, in code point order; worked out anew when the folders are others. */
  kinds(): Kind[] {
    this.#kinds ??= [...new Set(this.#kindsOfAll())].sort(compareText)
    return [...this.#kinds]
  }

  #kindsOfAll(): Kind[] {
    return [...this.#folders].flatMap(([path, { files }]) => this.#places.contentKinds(path, files))
  }
}
