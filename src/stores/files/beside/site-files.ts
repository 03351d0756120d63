import { type Dirent, constants as fs, lstatSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { isSitePath, type SiteArea, type SiteFile, type SiteFiles, type SiteFilesPart } from '#core/files/site-files.ts'
import type { ByteRange } from '#core/media/blobs.ts'
import type { Repository } from '#git/repository.ts'
import { append } from '#lib/append.ts'
import type { Clock } from '#lib/clock.ts'
import { Slices, sortedInSlices } from '#lib/concurrency/slices.ts'
import { leadsOut } from '#lib/files/leads-out.ts'
import { isRacy, stampOf } from '#lib/files/stamp.ts'
import { compareText } from '#lib/text/compare.ts'
import { composed } from '#lib/text/normal-form.ts'
import { PrivatePaths } from '../disk/private-paths.ts'
import { entryIn, type Found, isClosed, isForeign, isFound, type OnClosed, orClosed } from './area-folder.ts'
import { FileReader } from './file-reader.ts'
import { isOfRecord } from './record-folder.ts'

/** The folders of a site in files. `content` is from the root, the others are absolute. */
export interface SiteFolders {
  readonly root: string
  readonly content: string
  readonly privateDir: string
  /** The repository that the site is in, if it is in one. */
  readonly repository?: Repository | undefined
}

/** A file or a folder of an area that is to be listed. A folder's path ends with a slash: so it has its place among the files. */
interface Listed {
  readonly path: string
  readonly real: string
}

/**
 * The files of a site in its folders. No link is followed, but one within the site in the place of the folder of content. What may
 * not be entered or read is not there.
 */
export class FilesSiteFiles implements SiteFiles {
  readonly #site: SiteFolders
  readonly #folders: Readonly<Record<SiteArea, string>>
  readonly #private: Readonly<Record<SiteArea, PrivatePaths>>
  readonly #clock: Clock
  readonly #repository: Repository | undefined
  readonly #onClosed: OnClosed

  /** `onClosed` is told of what may not be entered or read. */
  constructor(site: SiteFolders, clock: Clock, onClosed: OnClosed = () => undefined) {
    const { root, content, privateDir, repository } = site
    this.#site = site
    this.#onClosed = onClosed
    this.#folders = { content: join(root, content), static: join(root, 'static') }
    const { content: inContent, static: inStatic } = this.#folders
    this.#private = { content: new PrivatePaths(inContent, privateDir), static: new PrivatePaths(inStatic, privateDir) }
    this.#clock = clock
    this.#repository = repository
  }

  async find(area: SiteArea, path: string): Promise<SiteFile | undefined> {
    const found = this.#at(area, path)
    return found && this.#fileOf(area, path, found)
  }

  async isTaken(area: SiteArea, path: string): Promise<boolean> {
    let folders: readonly string[] = [this.#folders[area]]
    const names = inOneCase(path).split('/')
    for (const [n, name] of names.entries()) {
      const within = await Promise.all(folders.map(async (folder) => ({ folder, entries: await this.#entriesOf(folder) })))
      folders = within.flatMap(({ folder, entries }) =>
        entries
          .filter((entry) => inOneCase(entry.name) === name && (n === names.length - 1 || entry.isDirectory()))
          .map((entry) => join(folder, entry.name)),
      )
    }
    return folders.length > 0
  }

  async open(file: SiteFile, { start, end }: ByteRange = { start: 0 }): Promise<Readable | undefined> {
    const [stamp] = file.version.split('~')
    const found = this.#at(file.area, file.path)
    if (!found || stampOf(found.stats) !== stamp) return undefined
    const handle = await open(found.real, fs.O_RDONLY | fs.O_NOFOLLOW | fs.O_NONBLOCK).catch((error: unknown) => {
      if (!isClosed(error)) throw error
      this.#onClosed(error)
    })
    if (!handle) return undefined
    try {
      const stats = await handle.stat({ bigint: true })
      if (stats.isFile() && stampOf(stats) === stamp) {
        const { size, mtimeNs } = stats
        return new FileReader(handle, { start, end: Math.min(end ?? file.size, file.size), size, mtimeNs })
      }
    } catch (error) {
      await handle.close()
      throw error
    }
    await handle.close()
    return undefined
  }

  async list(area: SiteArea, { below = '', after = '', limit }: SiteFilesPart): Promise<SiteFile[]> {
    const files: SiteFile[] = []
    const slices = new Slices()
    const top = this.#folderAt(area, below)
    const left: Listed[] = top === undefined ? [] : [{ path: below === '' ? '' : `${below}/`, real: top }]
    for (let next = left.pop(); next !== undefined && files.length < limit; next = left.pop()) {
      if (slices.isOver) await slices.pause()
      const { path, real } = next
      if (path === '' || path.endsWith('/')) append(left, (await this.#within(area, next, after, slices)).reverse())
      else {
        const stats = orClosed(() => lstatSync(real, { bigint: true, throwIfNoEntry: false }), this.#onClosed)
        if (stats?.isFile()) files.push(this.#fileOf(area, path, { real, stats }))
      }
    }
    return files
  }

  async recordFolders(folders: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    const slices = new Slices()
    for (const folder of folders) {
      const real = this.#folderAt('content', folder)
      if (real !== undefined && (await isOfRecord(real, this.#repository))) found.add(folder)
      if (slices.isOver) await slices.pause()
    }
    return found
  }

  #fileOf(area: SiteArea, path: string, { stats }: Found): SiteFile {
    const stamp = stampOf(stats)
    // Another write within the same tick of the file system's clock would leave the stamp as it is.
    const now = this.#clock.now()
    return { area, path, size: Number(stats.size), version: isRacy(stamp, now) ? `${stamp}~${now}` : stamp }
  }

  #at(area: SiteArea, path: string): Found | undefined {
    if (!isSitePath(area, path) || this.#private[area].have(path)) return undefined
    const slash = path.lastIndexOf('/')
    const folder = this.#folderAt(area, path.slice(0, Math.max(0, slash)))
    const found = folder === undefined ? undefined : entryIn(folder, path.slice(slash + 1), this.#onClosed)
    return found?.stats.isFile() ? found : undefined
  }

  /** The real path of a folder of an area, '' for the area's own; undefined where it is none, or not the site's. */
  #folderAt(area: SiteArea, path: string): string | undefined {
    let real = this.#folders[area]
    if (path !== '' && !isSitePath('static', path)) return undefined
    if (this.#isElsewhere(area)) return undefined
    for (const name of path === '' ? [] : path.split('/')) {
      const found = entryIn(real, name, this.#onClosed)
      if (!found?.stats.isDirectory() || isForeign(found.real, this.#onClosed)) return undefined
      real = found.real
    }
    return real
  }

  /** Returns whether an area's folder lies elsewhere: who may change what is in a repository may make a link of it. */
  #isElsewhere(area: SiteArea): boolean {
    const { root, content, privateDir } = this.#site
    if (area === 'content') return orClosed(() => leadsOut(root, content, privateDir), this.#onClosed) ?? true
    return !orClosed(() => lstatSync(this.#folders.static, { throwIfNoEntry: false }), this.#onClosed)?.isDirectory()
  }

  /** The files and folders in a folder, in the order of their paths: those that have files behind `after`. */
  async #within(area: SiteArea, folder: Listed, after: string, slices: Slices): Promise<Listed[]> {
    const found = new Map<string, Listed>()
    for (const entry of await this.#entriesOf(folder.real)) {
      if (slices.isOver) await slices.pause()
      const listed = this.#listed(area, folder, entry)
      if (listed && !isBefore(listed.path, after) && (!found.has(listed.path) || composed(entry.name) === entry.name)) {
        found.set(listed.path, listed)
      }
    }
    return sortedInSlices([...found.values()], (a, b) => compareText(a.path, b.path), slices)
  }

  #listed(area: SiteArea, folder: Listed, entry: Dirent): Listed | undefined {
    const name = composed(entry.name)
    if (!(entry.isFile() || entry.isDirectory()) || !isFound(name, entry.name)) return undefined
    const path = folder.path + name
    const real = join(folder.real, entry.name)
    // A folder may be called as a record's file is.
    if (!isSitePath(entry.isFile() ? area : 'static', path) || this.#private[area].have(path)) return undefined
    if (entry.isFile()) return { path, real }
    return isForeign(real, this.#onClosed) ? undefined : { path: `${path}/`, real }
  }

  /** The entries of a folder; none where it is gone or may not be read. */
  async #entriesOf(real: string): Promise<Dirent[]> {
    try {
      return await readdir(real, { withFileTypes: true })
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (isClosed(error)) this.#onClosed(error)
      else if (!['ENOENT', 'ENOTDIR'].includes(code)) throw error
      return []
    }
  }
}

/** Returns whether a file, and all files of a folder, are not behind a path. */
function isBefore(path: string, after: string): boolean {
  if (after === '' || (path.endsWith('/') && after.startsWith(path))) return false
  return compareText(path, after) <= 0
}

/** Returns a name, or a path, as all that differ from it in case alone are written. */
function inOneCase(name: string): string {
  return composed(name).toLowerCase()
}
