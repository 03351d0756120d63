import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isHidden, isPrivateHidden, isRecordName } from '#core/files/layout.ts'
import { leadsOut } from '#lib/files/leads-out.ts'
import { orAbsent, type Stamp, sizeOf, stampAt, stampOf } from '#lib/files/stamp.ts'
import { PrivateTrust } from './private-trust.ts'

/** The private folder's name in paths of this store, wherever it really is. */
export const PRIVATE = '.cms'

/** The relevant content of a folder: names of record files and of folders, and of links in their place (never followed). */
export interface Listing {
  files: string[]
  folders: string[]
  links: string[]
}

/** A file as it was at one moment. `bytes` is only valid until the next read. */
export interface Reading {
  bytes: Buffer
  stamp: Stamp
}

/** The site's files by path from its root, with `/`: the only code that turns a path into a place on the disk to read. */
export class Tree {
  readonly content: string
  /** Tells which private files count: those that do not are as if they were not there. */
  readonly trust: PrivateTrust
  readonly #root: string
  readonly #private: string
  #buffer = Buffer.allocUnsafeSlow(128 * 1024)

  /** `content` is relative to `root`; `privateDir` may be anywhere. */
  constructor(root: string, content: string, privateDir: string) {
    this.content = content.replaceAll('\\', '/').replace(/\/+$/, '')
    this.#root = join(resolve(root), '/')
    this.#private = resolve(root, privateDir)
    this.trust = new PrivateTrust(this.#private)
  }

  /** The real path of a path of this store. */
  real(path: string): string {
    if (path === PRIVATE) return this.#private
    return path.startsWith(`${PRIVATE}/`) ? join(this.#private, path.slice(PRIVATE.length + 1)) : this.#root + path
  }

  /** Lists the content of `folder`; undefined if it is no folder (or a link to one). That of the content may be a link within the site. */
  list(folder: string): Listing | undefined {
    const real = this.real(folder)
    if (folder === this.content ? this.isElsewhere(folder) : folder !== PRIVATE && !isFolder(real)) return undefined
    const entries = orAbsent(() => readdirSync(real, { withFileTypes: true }))
    if (!entries) return undefined
    const listing: Listing = { files: [], folders: [], links: [] }
    const isPassedOver = folder.startsWith(PRIVATE) ? isPrivateHidden : isHidden
    for (const entry of entries) {
      const { name } = entry
      if (isPassedOver(name)) continue
      if (entry.isDirectory()) listing.folders.push(name)
      else if (entry.isFile() && isRecordName(name)) listing.files.push(name)
      else if (entry.isSymbolicLink() && (isRecordName(name) || leadsToFolder(join(real, name)))) listing.links.push(name)
    }
    return listing
  }

  /**
   * Returns whether every folder on the way down to `folder` is a folder itself, and no link to one, and the first lies in the site.
   * A missing folder is no link.
   */
  isPlain(folder: string): boolean {
    const root = folder.startsWith(PRIVATE) ? PRIVATE : this.content
    for (let path = folder; path.length > root.length; path = path.slice(0, path.lastIndexOf('/'))) {
      const stats = orAbsent(() => lstatSync(this.real(path), { throwIfNoEntry: false }))
      if (stats && !stats.isDirectory()) return false
    }
    return !this.isElsewhere(folder)
  }

  /** Returns whether a path is of the content, and that lies elsewhere: who may change what is in a repository may make a link of it. */
  isElsewhere(path: string): boolean {
    if (path === PRIVATE || path.startsWith(`${PRIVATE}/`) || this.#isFolderItself()) return false
    return leadsOut(this.#root, this.content, this.#private)
  }

  /** Returns whether the folder of the content, and those above it in the site, are no links: so it is mostly, and soon known. */
  #isFolderItself(): boolean {
    for (let at = this.content; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/'))))
      if (!isFolder(this.#root + at)) return false
    return true
  }

  /** The stamp of a plain file; undefined where there is none (or a link, or something else). */
  stamp(path: string): Stamp | undefined {
    if (this.isElsewhere(path)) return undefined
    const stats = orAbsent(() => lstatSync(this.real(path), { bigint: true, throwIfNoEntry: false }))
    return stats?.isFile() && this.#counts(path, () => stats) ? stampOf(stats) : undefined
  }

  #counts(path: string, stats: () => BigIntStats): boolean {
    return !path.startsWith(`${PRIVATE}/`) || this.trust.has(path.slice(PRIVATE.length + 1), stats())
  }

  /** The stamp of whatever is at a path, links and folders too; undefined where nothing is. */
  inTheWay(path: string): Stamp | undefined {
    return stampAt(this.real(path))
  }

  /** Returns the time a folder's entries last changed, in nanoseconds; undefined if there is no folder. */
  folderTime(folder: string): bigint | undefined {
    return orAbsent(() => statSync(this.real(folder), { bigint: true, throwIfNoEntry: false }))?.mtimeNs
  }

  /**
   * Reads a plain file, up to `limit` bytes and one more, into a buffer used again by the next read; undefined where there is
   * none. `seen` is its stamp of a moment ago, where it is known.
   */
  read(path: string, limit: number, seen?: Stamp): Reading | undefined {
    if (this.isElsewhere(path)) return undefined
    const fd = orAbsent(() => openSync(this.real(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK))
    if (fd === undefined) return undefined
    try {
      return this.#counts(path, () => fstatSync(fd, { bigint: true })) ? this.#readStable(fd, limit, seen) : undefined
    } finally {
      closeSync(fd)
    }
  }

  /** As `read`; undefined also for a file that we may not read. */
  tryRead(path: string, limit: number): Reading | undefined {
    try {
      return this.read(path, limit)
    } catch {
      return undefined
    }
  }

  /** A file written to while it is read is read again: a stamp must never stand for other bytes than were read. */
  #readStable(fd: number, limit: number, seen: Stamp | undefined): Reading | undefined {
    for (let before = seen ?? stampOfOpen(fd); before !== undefined; ) {
      const bytes = this.#fill(fd, Math.min(sizeOf(before), limit))
      const after = stampOfOpen(fd)
      if (before === after) return { bytes, stamp: after }
      before = after
    }
    return undefined
  }

  /** `size` bytes from the beginning, or as many as there are, and one more where there is one. */
  #fill(fd: number, size: number): Buffer {
    if (size >= this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(size * 2)
    let length = 0
    // A plain file gives all that is asked for, or has ended.
    while (length < size + 1) {
      const read = readSync(fd, this.#buffer, length, size + 1 - length, length)
      length += read
      if (read === 0 || length === size) break
    }
    return this.#buffer.subarray(0, length)
  }
}

function stampOfOpen(fd: number): Stamp | undefined {
  const stats = fstatSync(fd, { bigint: true })
  return stats.isFile() ? stampOf(stats) : undefined
}

/** Returns whether a file with the stamp `now` is the one that had the stamp `made` before it got its name, as far as can be seen. */
export function isOfMaking(made: Stamp, now: Stamp): boolean {
  const [size, mtime, , inode] = made.split(':')
  const [sizeNow, mtimeNow, , inodeNow] = now.split(':')
  return size === sizeNow && mtime === mtimeNow && inode === inodeNow
}

/**
 * Returns whether a file with the stamp `now` holds the bytes it had when its stamp was `made`, before it got its name: a write
 * since would have given it a later time, as the renaming has. False if both fell into one tick of the clock, since that proves
 * nothing.
 */
export function isAsMade(made: Stamp, now: Stamp): boolean {
  const [, mtime = '0', named = '0'] = now.split(':')
  return isOfMaking(made, now) && BigInt(named) > BigInt(mtime)
}

function isFolder(real: string): boolean {
  return orAbsent(() => lstatSync(real, { throwIfNoEntry: false }))?.isDirectory() === true
}

function leadsToFolder(real: string): boolean {
  return orAbsent(() => statSync(real, { throwIfNoEntry: false }))?.isDirectory() === true
}
