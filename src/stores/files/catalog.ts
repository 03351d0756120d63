import { compareText } from '../../core/comparison.ts'
import type { ContentTypes, Shape } from '../../core/content-type.ts'
import type { Head, Problem } from '../../core/document.ts'
import { readHead } from '../../core/format/read.ts'
import { isPrivate, type Key, type Kind, kindFault } from '../../core/key.ts'
import { Compactor } from './compact.ts'
import { accessProblem, folderProblem, linkProblem, nameProblem, sizeProblem } from './faults.ts'
import { isData, kindOfFolder, type Place, placeOf } from './layout.ts'
import { type Entry, pathOf, Registry } from './registry.ts'
import { isRacy, type Listing, PRIVATE, type Reading, type Stamp, type Tree } from './tree.ts'

/** The most bytes a content file may have. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024

/** What a folder held when it was last looked at. */
interface Folder {
  files: Map<string, Entry>
  folders: Set<string>
  /** Names that are in the way, and why. */
  problems: Map<string, Problem>
}

/** What is told of each document whose file came, changed or went. */
export type Watcher = (key: Key, head: Head | undefined) => void

/** A head that is known from an earlier run, if the file still has this stamp. */
export type Known = (path: string) => { stamp: Stamp; head: Head; extension: string } | undefined

/**
 * What the disk holds, as far as it was looked at: every file with its stamp and head. Looking again at a file or a folder brings it
 * up to date, and tells of what became of its documents.
 */
export class Catalog {
  readonly #tree: Tree
  readonly #types: ContentTypes
  readonly #tell: Watcher
  readonly #folders = new Map<string, Folder>()
  readonly #registry = new Registry()
  readonly #shapes = new Map<Kind, Shape>()
  readonly #compactor = new Compactor()

  constructor(tree: Tree, types: ContentTypes, tell: Watcher) {
    this.#tree = tree
    this.#types = types
    this.#tell = tell
  }

  /** The paths of the folders that were looked at. */
  folders(): IterableIterator<string> {
    return this.#folders.keys()
  }

  *entries(): Generator<Entry> {
    for (const folder of this.#folders.values()) yield* folder.files.values()
  }

  /** The kinds of content there is a folder or a file of, in code point order. */
  kinds(): Kind[] {
    const kinds = new Set<Kind>()
    for (const [path, { files }] of this.#folders) {
      const { kind } = this.#place(path) ?? {}
      const isThere = path !== this.#tree.content || files.size > 0
      if (kind !== undefined && isThere && !isPrivate(kind) && this.#isContent(kind)) kinds.add(kind)
    }
    return [...kinds].sort(compareText)
  }

  claims(key: Key): readonly Entry[] {
    return this.#registry.claims(key)
  }

  head(key: Key): Head | undefined {
    return this.#registry.head(key)
  }

  caseTwin(key: Key): string | undefined {
    return this.#registry.caseTwin(key)
  }

  shape(kind: Kind): Shape {
    const shape = this.#shapes.get(kind) ?? this.#types.shape(kind)
    this.#shapes.set(kind, shape)
    return shape
  }

  *problems(): Generator<{ kind: Kind | undefined; problem: Problem }> {
    for (const [path, folder] of this.#folders) {
      const { kind } = this.#place(path) ?? { kind: undefined }
      for (const problem of folder.problems.values()) yield { kind, problem }
      for (const entry of folder.files.values()) {
        const problem = this.#registry.problem(entry)
        if (problem) yield { kind, problem }
      }
    }
  }

  /** Looks at a folder and all below it. */
  walk(path: string, known?: Known): void {
    const left = [path]
    for (let next = left.pop(); next !== undefined; next = left.pop()) left.push(...this.look(next, known))
  }

  /** Looks at one folder and each of its files; returns the paths of the folders in it. */
  look(path: string, known?: Known): string[] {
    const listing = this.#list(path)
    if (!listing) {
      this.#forget(path)
      return []
    }
    const before = this.#folders.get(path)
    const folder: Folder = { files: before?.files ?? new Map(), folders: new Set(listing.folders), problems: new Map() }
    this.#folders.set(path, folder)
    for (const name of before?.folders ?? []) if (!folder.folders.has(name)) this.#forget(`${path}/${name}`)
    const present = new Set(listing.files)
    for (const [name, entry] of folder.files) if (!present.has(name)) this.#drop(folder, entry)
    for (const name of listing.links) folder.problems.set(name, linkProblem(`${path}/${name}`))
    for (const name of listing.files) this.#refresh(folder, path, name, known)
    if (listing.problem) folder.problems.set('', listing.problem)
    return listing.folders.map((name) => `${path}/${name}`)
  }

  #list(path: string): (Listing & { problem?: Problem }) | undefined {
    if (path === `${this.#tree.content}/media`) return undefined
    const problem = this.#folderProblem(path)
    if (problem) return { files: [], folders: [], links: [], problem }
    try {
      return this.#tree.list(path)
    } catch (error) {
      return { files: [], folders: [], links: [], problem: accessProblem(path, error) }
    }
  }

  /** A folder that can't be a kind is passed by, and said to be. */
  #folderProblem(path: string): Problem | undefined {
    const found = this.#place(path)
    if (found?.below !== '' || path.startsWith(PRIVATE) || this.#isContent(found.kind)) return undefined
    return folderProblem(path)
  }

  #isContent(kind: Kind): boolean {
    if (kindFault(kind) !== undefined) return false
    return isData(kind) || this.#types.get(kind) !== undefined
  }

  /** Looks at one file; `anew` reads it whatever its stamp says. */
  lookAt(path: string, anew = false): void {
    const slash = path.lastIndexOf('/')
    const folder = path.slice(0, slash)
    if (!this.#tree.isPlain(folder)) return
    const known = this.#folders.get(folder)
    const before = known?.files.get(path.slice(slash + 1))
    if (anew && before) before.stamp = ''
    if (known) this.#refresh(known, folder, path.slice(slash + 1))
    else if (this.#tree.stamp(path) !== undefined) this.#adopt(folder)
  }

  /** Takes in a folder that a write or an author made. */
  #adopt(path: string): void {
    const slash = path.lastIndexOf('/')
    const parent = path.slice(0, slash)
    const isRoot = path === this.#tree.content || parent === PRIVATE
    if (!isRoot && !this.#folders.has(parent)) this.#adopt(parent)
    if (!isRoot && !this.#folders.has(parent)) return
    this.#folders.get(parent)?.folders.add(path.slice(slash + 1))
    this.walk(path)
  }

  #refresh(folder: Folder, path: string, name: string, known?: Known): void {
    const place = this.#placeOf(path, name)
    if (!place) return
    const before = folder.files.get(name)
    const stamp = this.#tree.stamp(`${path}/${name}`)
    if ('fault' in place) {
      if (stamp) folder.problems.set(name, nameProblem(`${path}/${name}`, place))
      else folder.problems.delete(name)
      return
    }
    if (before && stamp === before.stamp && !isRacy(stamp, before.readAt)) return
    const entry = stamp && this.#entry({ folder: path, name, ...place }, stamp, before, known)
    if (!entry) {
      if (before) this.#drop(folder, before)
    } else if (entry !== before) this.#take(folder, before, entry)
  }

  #entry(at: Where, stamp: Stamp, before: Entry | undefined, known: Known | undefined): Entry | undefined {
    const kept = known?.(pathOf(at))
    if (kept?.stamp === stamp) return entryOf(at, kept.head, stamp, Number.POSITIVE_INFINITY)
    const readAt = Date.now()
    const reading = this.#read(at)
    if (!reading) return undefined
    const head =
      'problem' in reading ? { key: at.key, fields: {}, version: '', problem: reading.problem } : this.#head(at, reading)
    if (before?.head.version === head.version && head.version !== '')
      return Object.assign(before, { stamp: 'stamp' in reading ? reading.stamp : stamp, readAt })
    return entryOf(at, head, 'stamp' in reading ? reading.stamp : stamp, readAt)
  }

  #read(at: Where): Reading | { problem: Problem } | undefined {
    try {
      return this.#tree.read(pathOf(at), MAX_FILE_BYTES)
    } catch (error) {
      return { problem: accessProblem(pathOf(at), error) }
    }
  }

  #head({ key, extension, ...at }: Where, { bytes }: Reading): Head {
    const file = pathOf(at)
    if (bytes.length > MAX_FILE_BYTES) return { key, fields: {}, version: '', problem: sizeProblem(file) }
    return this.#compactor.head(readHead(key, this.shape(key.kind), bytes, { extension }, file))
  }

  #take(folder: Folder, before: Entry | undefined, entry: Entry): void {
    if (before) this.#registry.remove(before)
    this.#registry.add(entry)
    folder.files.set(entry.name, entry)
    this.#tell(entry.head.key, this.#registry.head(entry.head.key))
  }

  #drop(folder: Folder, entry: Entry): void {
    folder.files.delete(entry.name)
    this.#registry.remove(entry)
    this.#tell(entry.head.key, this.#registry.head(entry.head.key))
  }

  #forget(path: string): void {
    const folder = this.#folders.get(path)
    if (!folder) return
    for (const entry of folder.files.values()) this.#drop(folder, entry)
    this.#folders.delete(path)
    for (const name of folder.folders) this.#forget(`${path}/${name}`)
  }

  #placeOf(path: string, name: string): Place {
    const found = this.#place(path)
    if (!found || (path === this.#tree.content && name === 'settings.yaml')) return undefined
    return placeOf(found.kind, found.below === '' ? name : `${found.below}/${name}`)
  }

  #place(path: string): { kind: Kind; below: string } | undefined {
    if (path.startsWith(`${PRIVATE}/`)) return { kind: `.${path.slice(PRIVATE.length + 1)}`, below: '' }
    return kindOfFolder(path.slice(this.#tree.content.length + 1))
  }
}

type Where = { folder: string; name: string; extension: string; key: Key }

function entryOf({ folder, name, extension }: Where, head: Head, stamp: Stamp, readAt: number): Entry {
  return { folder, name, extension, head, stamp, readAt }
}
