import { basename, dirname } from 'node:path/posix'
import type { Document, Head, Problem } from '#core/document.ts'
import type { Key, Kind } from '#core/key.ts'
import type { ContentTypes, Shape } from '#core/types/content-type.ts'
import { append } from '#lib/append.ts'
import { isRacy, type Stamp } from '#lib/files/stamp.ts'
import { PRIVATE, type Tree } from '../disk/tree.ts'
import { byFolder } from './by-folder.ts'
import { EntryReader, markWritten, type Written } from './entry-reader.ts'
import { accessProblem, linkProblem } from './faults.ts'
import { Folders } from './folders.ts'
import { listed } from './listed.ts'
import { Misnamed } from './misnamed.ts'
import { Places } from './places.ts'
import { type Folder, problemsIn } from './problems.ts'
import { type Others, PutOff } from './put-off.ts'
import { type Entry, Registry } from './registry.ts'
import type { KeptHead, Known } from './snapshot.ts'

/** A callback for each document whose file came, changed or went: its head now, and before; `written` is what this process wrote. */
export type Watcher = (key: Key, head: Head | undefined, former: Head | undefined, written?: Document) => void

/** The content of the disk as it was last checked: each file with its stamp and head. A check reports what changed. */
export class FileRegistry {
  /** Kinds and documents that the site's folders and files represent. */
  readonly places: Places
  /** The folders that were looked at. */
  readonly folders: Folders
  /** Paths to check again. */
  readonly putOff: PutOff
  readonly #tree: Tree
  readonly #reader: EntryReader
  readonly #tell: Watcher
  readonly #registry = new Registry()
  /** Files whose names can't be ids. */
  readonly misnamed = new Misnamed((path, key) => this.#registry.isTaken(key) || this.#tree.inTheWay(path) !== undefined)

  /** `others` are tools that may work on the content. */
  constructor(tree: Tree, types: ContentTypes, tell: Watcher, others?: Others) {
    this.#tree = tree
    this.places = new Places(tree.content, types)
    this.folders = new Folders(tree.content, this.places)
    this.putOff = new PutOff(others, this.#registry, tree)
    this.#reader = new EntryReader(tree, types, this.places)
    this.#tell = tell
  }

  /** Number of files that have been read: those that a snapshot did not have, or had in another state. */
  get readings(): number {
    return this.#reader.readings
  }

  claims(key: Key): readonly Entry[] {
    return this.#registry.claims(key)
  }

  head(key: Key): Head | undefined {
    return this.#registry.head(key)
  }

  caseTwins(key: Key): readonly string[] {
    return this.#registry.caseTwins(key)
  }

  shape(kind: Kind): Shape {
    return this.#reader.shape(kind)
  }

  /** Returns the problems with files and folders, of one kind or of all; ordered by file. */
  problems(kind?: Kind): Problem[] {
    return problemsIn(this.folders.all(), { places: this.places, registry: this.#registry, misnamed: this.misnamed }, kind)
  }

  /** Looks at a folder and all below it. */
  walk(path: string, known?: Known): void {
    const left = [path]
    for (let next = left.pop(); next !== undefined; next = left.pop()) append(left, this.look(next, known))
  }

  /** Looks at one folder and each of its files; returns the paths of the folders in it. */
  look(path: string, known?: Known): string[] {
    const holds = this.putOff.begin(path)
    const listing = listed(this.#tree, this.places, path)
    if (!holds()) return []
    if (!listing) {
      this.#forget(path)
      return []
    }
    const before = this.folders.get(path)
    const folder: Folder = { files: before?.files ?? new Map(), folders: new Set(listing.folders), problems: new Map() }
    this.folders.set(path, folder)
    this.misnamed.forget(path)
    for (const name of before?.folders ?? []) if (!folder.folders.has(name)) this.#forget(`${path}/${name}`)
    const present = new Set(listing.files)
    for (const name of folder.files.keys()) if (!present.has(name)) this.#refresh(folder, path, name)
    for (const name of listing.links) folder.problems.set(name, linkProblem(`${path}/${name}`))
    const kept = known?.(path)
    for (const name of listing.files) this.#refresh(folder, path, name, kept?.get(name))
    // One that is in no encoding we know can't even be asked after.
    for (const name of listing.files) if (!folder.files.has(name)) this.#blame(path, name)
    if (listing.problem) folder.problems.set('', listing.problem)
    return listing.folders.map((name) => `${path}/${name}`)
  }

  /** Looks at one file; `anew` reads it whatever its stamp says. */
  lookAt(path: string, anew = false): void {
    const before = anew ? this.#fileAt(path) : undefined
    if (before) before.stamp = ''
    this.lookAtSome(dirname(path), [basename(path)])
  }

  /** Looks at some files, each of which may or may not be there. */
  lookAtPlaces(paths: Iterable<string>): void {
    for (const [folder, names] of byFolder(paths)) this.lookAtSome(folder, names)
  }

  /** Looks at some files of one folder. */
  lookAtSome(folder: string, names: Iterable<string>): void {
    const known = this.folders.get(folder)
    if (!known && this.#tree.inTheWay(folder) === undefined) return
    const holds = this.putOff.begin(folder)
    if (!this.#tree.isPlain(folder) && holds()) this.#forget(folder)
    const folderNow = this.folders.get(folder)
    if (folderNow) for (const name of names) this.#lookFor(folderNow, folder, name)
    else if (this.#tree.isPlain(folder) && [...names].some((name) => this.#tree.stamp(`${folder}/${name}`) !== undefined)) {
      this.#adopt(folder)
    }
  }

  /** Looks at files of one folder that this process has just written; those that still hold what it wrote are not read. */
  lookAtWritten(path: string, files: readonly Written[]): void {
    const holds = this.putOff.begin(path)
    const folder = this.#tree.isPlain(path) ? this.folders.get(path) : undefined
    const known = folder ? files.map((file) => ({ file, entry: this.#writtenEntry(folder, path, file) })) : []
    const kept = holds() ? known : []
    for (const { file, entry } of kept) if (folder && entry) this.#take(folder, folder.files.get(file.name), entry, file.document)
    const taken = new Set(kept.filter(({ entry }) => entry).map(({ file }) => file.name))
    const others = files.map(({ name }) => name).filter((name) => !taken.has(name))
    if (others.length > 0) this.putOff.ours(files, () => this.lookAtSome(path, others))
    for (const { name, made } of files) markWritten(this.#fileAt(`${path}/${name}`), made)
  }

  #writtenEntry(folder: Folder, path: string, file: Written): Entry | undefined {
    const place = this.places.ofFile(path, file.name)
    if (!place || 'fault' in place) return undefined
    const stamp = this.#stamp(folder, path, file.name)
    return this.#reader.written({ folder: path, name: file.name, ...place }, file, stamp, folder.files.get(file.name))
  }

  /**
   * Looks at whatever is, or was, at a path: a file, or a folder with its files; returns the paths of the folders in it. A file
   * that is as this process wrote it is not read again.
   */
  lookAtAny(path: string): string[] {
    const entry = this.#fileAt(path)
    if (entry?.written !== undefined && entry.written === this.#tree.stamp(path)) return []
    if (this.folders.has(path)) return this.look(path)
    if (!entry && this.#tree.list(path)) return this.#join(path) ? this.look(path) : []
    this.lookAt(path)
    return []
  }

  #fileAt(path: string): Entry | undefined {
    return this.folders.get(dirname(path))?.files.get(basename(path))
  }

  /** Takes in a folder that a write or an author made. */
  #adopt(path: string): void {
    if (this.#join(path)) this.walk(path)
  }

  /** Makes a folder one of its parent's; whether it can be. */
  #join(path: string): boolean {
    const parent = dirname(path)
    const isRoot = path === this.#tree.content || parent === PRIVATE
    if (!isRoot && !this.folders.has(parent)) this.#adopt(parent)
    if (!isRoot && !this.folders.has(parent)) return false
    this.folders.get(parent)?.folders.add(basename(path))
    return true
  }

  /** Most places where a file might be are empty, and were. */
  #lookFor(folder: Folder, path: string, name: string): void {
    if (folder.files.has(name) || this.#stamp(folder, path, name) !== undefined) this.#refresh(folder, path, name)
  }

  #refresh(folder: Folder, path: string, name: string, kept?: KeptHead): void {
    const before = folder.files.get(name)
    if (before && this.#isAsRead(before, this.#stamp(folder, path, name))) return
    const holds = this.putOff.begin(`${path}/${name}`)
    const stamp = this.#stamp(folder, path, name)
    const place = this.places.ofFile(path, name)
    if (!place) return
    if ('fault' in place) {
      if (stamp) this.misnamed.add(path, name, place)
      return
    }
    const entry = stamp === undefined ? undefined : this.#reader.read({ folder: path, name, ...place }, stamp, before, kept)
    if (this.putOff.isSame(before, entry) || !holds() || this.putOff.unsettled(before, entry, this.#reader.isLive)) return
    if (entry) this.#take(folder, before, entry)
    else if (before) this.#drop(folder, before)
  }

  #isAsRead({ stamp, readAt }: Entry, now: Stamp | undefined): boolean {
    return now === stamp && !isRacy(stamp, readAt)
  }

  #blame(path: string, name: string): void {
    const place = this.places.ofFile(path, name)
    if (place && 'fault' in place) this.misnamed.add(path, name, place)
  }

  #stamp(folder: Folder, path: string, name: string): Stamp | undefined {
    folder.problems.delete(name)
    this.misnamed.remove(path, name)
    try {
      return this.#tree.stamp(`${path}/${name}`)
    } catch (error) {
      folder.problems.set(name, accessProblem(`${path}/${name}`, error))
      return undefined
    }
  }

  #take(folder: Folder, before: Entry | undefined, entry: Entry, written?: Document): void {
    this.putOff.noteThere(entry)
    if (entry === before) return
    const former = this.#registry.replace(before, entry)
    this.misnamed.renew()
    folder.files.set(entry.name, entry)
    if (!before) this.folders.filesChanged(entry.folder)
    this.#tell(entry.head.key, this.#registry.head(entry.head.key), former, written)
  }

  #drop(folder: Folder, entry: Entry): void {
    folder.files.delete(entry.name)
    this.folders.filesChanged(entry.folder)
    const former = this.#registry.replace(entry, undefined)
    this.misnamed.renew()
    this.#tell(entry.head.key, this.#registry.head(entry.head.key), former)
  }

  #forget(path: string): void {
    const folder = this.folders.get(path)
    if (!folder) return
    this.misnamed.forget(path)
    for (const entry of folder.files.values()) this.#drop(folder, entry)
    this.folders.delete(path)
    for (const name of folder.folders) this.#forget(`${path}/${name}`)
  }
}
