import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { endingOf } from '#core/attachments.ts'
import type { SiteFile, SiteFiles } from '#core/site-files.ts'
import { Cache } from '#lib/cache.ts'
import { Semaphore } from '#lib/semaphore.ts'

/** The measures of a picture, a film or sound; null where it has none, or they can't be told. */
export interface Measures {
  readonly width: number | null
  readonly height: number | null
  readonly duration: number | null
}

/** Number of files of which each is cached. */
const MOST_KEPT = 10_000
/** Number of files that are read at once. */
const AT_ONCE = 2
const NONE: Measures = { width: null, height: null, duration: null }

/** Facts about files that lie beside their sidecars, told by their bytes and kept by the files' versions. */
export class FileFacts {
  readonly #siteFiles: SiteFiles
  readonly #checksums = new Cache<string>({ most: MOST_KEPT })
  readonly #measures = new Cache<Measures>({ most: MOST_KEPT })
  readonly #semaphore = new Semaphore(AT_ONCE)

  constructor(siteFiles: SiteFiles) {
    this.#siteFiles = siteFiles
  }

  /** The SHA-256 of a file as a sidecar names it (`sha256:…`); null where the file is gone or changes. */
  checksum(file: SiteFile): Promise<string | null> {
    return this.#kept(this.#checksums, file, () => this.#hash(file))
  }

  /** The measures of a file, which the first bytes of it tell. */
  async measures(file: SiteFile): Promise<Measures> {
    return (await this.#kept(this.#measures, file, () => this.#glance(file))) ?? NONE
  }

  async #kept<T extends {}>(cache: Cache<T>, file: SiteFile, read: () => Promise<T | null>): Promise<T | null> {
    const name = [file.area, file.path]
    const known = cache.get(name, file.version)
    if (known !== undefined) return known
    return this.#semaphore.run(async () => {
      const made = cache.get(name, file.version) ?? (await read())
      if (made !== null) cache.set(name, made, file.version)
      return made
    })
  }

  async #hash(file: SiteFile): Promise<string | null> {
    const hash = createHash('sha256')
    try {
      const bytes = await this.#siteFiles.open(file)
      if (!bytes) return null
      for await (const chunk of bytes) hash.update(chunk as Buffer)
    } catch {
      return null
    }
    return `sha256:${hash.digest('hex')}`
  }

  async #glance(file: SiteFile): Promise<Measures | null> {
    const read = async (start: number, end: number) => {
      const bytes = await this.#siteFiles.open(file, { start, end })
      return bytes ? buffer(bytes) : Buffer.alloc(0)
    }
    const [{ glance }, { shownSize }] = await Promise.all([import('#media/inspect.ts'), import('#media/picture.ts')])
    try {
      const seen = await glance({ size: file.size, read }, { ending: endingOf(file.path) })
      const { width = null, height = null } = shownSize(seen)
      return { width, height, duration: seen.duration ?? null }
    } catch {
      // A broken file, or one of another type: it is listed without.
      return NONE
    }
  }
}
