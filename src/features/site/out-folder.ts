import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Problem } from '../../core/document.ts'
import { BadRequest, NoSpace } from '../../core/errors.ts'

const MANIFEST = '.quire-build'
const NEVER = /(?:^|[\\/])(?:\.git|\.cms|node_modules)(?:[\\/]|$)/

/** A folder a site is built into: knows which of its files an earlier build wrote, and touches no others. */
export class OutFolder {
  readonly path: string
  readonly problems: Problem[] = []
  readonly #before: ReadonlySet<string>
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()
  #written = 0
  #unchanged = 0

  private constructor(path: string) {
    this.path = path
    this.#before = new Set(readManifest(path))
  }

  /** Opens or makes the folder. Throws BadRequest where a site must not be written: over the site's root or sources, or a folder outside that holds other things. */
  static open(out: string, root: string, sources: readonly string[]): OutFolder {
    const path = realPath(resolve(root, out))
    const fault = faultOf(
      path,
      realPath(root),
      sources.map((source) => realPath(resolve(root, source))),
    )
    if (fault)
      throw new BadRequest(`The site can't be built into ${path}: ${fault}.`, 'Choose a folder of its own, such as public.')
    mkdirSync(path, { recursive: true })
    return new OutFolder(path)
  }

  /** Writes one file, by its path below the folder with `/`, unless it has these bytes already. Gives its stamp; undefined where it can't be written. */
  put(file: string, body: Buffer): string | undefined {
    this.#files.add(file)
    const target = join(this.path, file)
    try {
      this.#enter(dirname(file))
      if (sameBytes(target, body)) {
        this.#unchanged++
      } else {
        const beside = join(dirname(target), `.quire-${process.pid}.tmp`)
        writeFileSync(beside, body)
        renameSync(beside, target)
        this.#written++
      }
      return stampAt(target)
    } catch (error) {
      return this.#note(file, error)
    }
  }

  /** Leaves a file as it is, if it has the stamp that `put` gave for it: that is quicker than to compare. */
  leave(file: string, stamp: string): boolean {
    if (!this.#before.has(file) || stampAt(join(this.path, file)) !== stamp) return false
    this.#files.add(file)
    this.#unchanged++
    return true
  }

  /** Leaves a file as it is: it is not stale. */
  keep(file: string): void {
    if (this.#before.has(file)) this.#files.add(file)
  }

  /** Removes what an earlier build wrote and this one did not, and remembers what this one wrote. */
  finish(): { written: number; unchanged: number; removed: number } {
    let removed = 0
    for (const file of this.#before) {
      if (this.#files.has(file)) continue
      if (this.#remove(file)) removed++
    }
    this.#remember(this.#files)
    return { written: this.#written, unchanged: this.#unchanged, removed }
  }

  /** Remembers what was written so far beside what was there: for a build that is broken off. */
  abandon(): void {
    this.#remember(new Set([...this.#before, ...this.#files]))
  }

  #remember(files: ReadonlySet<string>): void {
    const list = Buffer.from(`${[...files].sort().join('\n')}\n`)
    const manifest = join(this.path, MANIFEST)
    if (!sameBytes(manifest, list)) writeFileSync(manifest, list)
  }

  /** Makes a folder of the output, once; a link in its place would lead the files elsewhere. */
  #enter(folder: string): void {
    if (folder === '.' || this.#folders.has(folder)) return
    this.#enter(dirname(folder))
    const path = join(this.path, folder)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) throw new Error('it is a link')
    if (!found?.isDirectory()) mkdirSync(path)
    this.#folders.add(folder)
  }

  #remove(file: string): boolean {
    const path = join(this.path, file)
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true || realPath(dirname(path)) !== dirname(path)) return false
    rmSync(path)
    for (let folder = dirname(path); folder !== this.path && readdirSync(folder).length === 0; folder = dirname(folder))
      rmdirSync(folder)
    return true
  }

  #note(file: string, error: unknown): undefined {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOSPC') throw new NoSpace('The disk is full: the site is not built whole.', 'Make room, then build again.')
    const message = `The page can't be written: ${error instanceof Error ? error.message : String(error)}.`
    this.problems.push({ file: join(this.path, file), message, hint: 'Remove what is in its place.', severity: 'error' })
  }
}

function faultOf(path: string, root: string, sources: readonly string[]): string | undefined {
  if (isWithin(root, path)) return 'the site itself lies in it'
  const source = sources.find((folder) => isWithin(path, folder) || isWithin(folder, path))
  if (source) return `it and ${relative(root, source)} would mix`
  if (NEVER.test(isWithin(path, root) ? relative(root, path) : path)) return 'that folder belongs to another program'
  if (!existsSync(path)) return undefined
  if (!lstatSync(path).isDirectory()) return 'it is a file'
  const isOurs = isWithin(path, root) || existsSync(join(path, MANIFEST)) || readdirSync(path).length === 0
  return isOurs ? undefined : 'it lies outside of the site and holds files that no build wrote'
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** The path with the links of its existing part resolved. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const parent = dirname(path)
  return parent === path ? path : join(realPath(parent), path.slice(parent.length))
}

function readManifest(folder: string): string[] {
  const file = join(folder, MANIFEST)
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('/') && !line.split(/[\\/]/).includes('..'))
}

/** What tells a state of a file from others; undefined where there is no plain file. */
function stampAt(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? `${found.size}:${found.mtimeMs}:${found.ctimeMs}:${found.ino}` : undefined
}

function sameBytes(file: string, body: Buffer): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found?.isFile() || found.size !== body.length) return false
  return readFileSync(file).equals(body)
}
