import type { Version } from '#core/document.ts'
import { versionOf } from '#core/format/version.ts'
import type { Key } from '#core/key.ts'
import { MAX_FILE_BYTES } from '#frontmatter/fault.ts'
import type { Conversions } from '#git/files/conversions.ts'
import { type Conversion, checkedOutBytes, keptBytes } from '#git/files/line-endings.ts'
import { blobId } from '#git/objects/blob-id.ts'
import type { Objects } from '#git/objects/objects.ts'
import type { Repository } from '#git/repository.ts'
import { Cache } from '#lib/cache.ts'
import type { Tree } from '../disk/tree.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { type Entry, pathOf } from '../registry/registry.ts'

/** The dependencies of past files. */
export interface PastFilesDeps {
  readonly repository: Repository
  readonly objects: Objects
  readonly conversions: Conversions
  readonly tree: Tree
  readonly registry: FileRegistry
}

/** Number of versions that are kept. */
const KEPT_VERSIONS = 10_000

/**
 * The files of former states of records: with the line endings that a checkout would give them, or those of the file that there
 * is now, where git keeps the same of it.
 */
export class PastFiles {
  readonly #deps: PastFilesDeps
  readonly #versions = new Cache<Version>({ most: KEPT_VERSIONS })
  readonly #kept = new Cache<string>({ most: KEPT_VERSIONS })

  constructor(deps: PastFilesDeps) {
    this.#deps = deps
  }

  /** The version of the file that a blob is; `path` is where it was, from the site's root. Undefined where git has lost it. */
  async version(key: Key, path: string, blob: string): Promise<Version | undefined> {
    const now = this.#now(key)
    if (now?.head.version === blob) return blob
    const conversion = await this.#conversion(now, path)
    if (now && conversion && this.#keptOf(now, conversion) === blob) return now.head.version
    const isVersion = blob.length === 40
    if (isVersion && !conversion?.putsCrlf) return blob
    const name = [blob, conversion?.putsCrlf === true, conversion?.isAuto === true]
    const known = this.#versions.get(name)
    if (known !== undefined) return known
    const object = await this.#deps.objects.read(blob)
    if (object?.type !== 'blob') return undefined
    const version = versionOf(checkedOutBytes(object.bytes, conversion))
    this.#versions.set(name, version)
    return version
  }

  /** The bytes of the file that a blob of these bytes is. */
  async bytes(key: Key, path: string, bytes: Buffer): Promise<Buffer> {
    const now = this.#now(key)
    const conversion = await this.#conversion(now, path)
    if (!conversion) return bytes
    const there = now && this.#read(now)
    const isNow = there && (there.equals(bytes) || keptBytes(there, conversion, false).equals(bytes))
    return isNow ? there : checkedOutBytes(bytes, conversion)
  }

  /** The file of a record, where it has one. */
  #now(key: Key): Entry | undefined {
    const [entry, second] = this.#deps.registry.claims(key)
    return second || entry?.head.version === '' ? undefined : entry
  }

  #conversion(now: Entry | undefined, path: string): Promise<Conversion | undefined> {
    const { conversions, repository } = this.#deps
    return conversions.of(`${repository.prefix}${now ? pathOf(now) : path}`)
  }

  /** Returns the id of the bytes that git would keep of a file. */
  #keptOf(now: Entry, conversion: Conversion): string | undefined {
    const { version } = now.head
    const name = [version, conversion.isAuto]
    const known = this.#kept.get(name)
    if (known !== undefined) return known
    const bytes = this.#read(now)
    if (!bytes || versionOf(bytes) !== version) return undefined
    const id = blobId(this.#deps.repository, keptBytes(bytes, conversion, false))
    this.#kept.set(name, id)
    return id
  }

  #read(now: Entry): Buffer | undefined {
    const reading = this.#deps.tree.tryRead(pathOf(now), MAX_FILE_BYTES)
    return reading && Buffer.from(reading.bytes)
  }
}
