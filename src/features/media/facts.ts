import { createHash } from 'node:crypto'
import type { SiteFile, SiteFiles } from '#core/site-files.ts'
import { Cache } from '#lib/cache.ts'
import { KeyedMutex } from '#lib/keyed-mutex.ts'

/** Number of files whose checksums are cached. */
const MOST_KEPT = 10_000
/** Number of files that are read at once. */
const LANES = 2

/** Checksums of files that lie beside their sidecars, kept by the files' versions. */
export class Checksums {
  readonly #siteFiles: SiteFiles
  readonly #kept = new Cache<string>({ most: MOST_KEPT })
  readonly #lanes = new KeyedMutex()
  #next = 0

  constructor(siteFiles: SiteFiles) {
    this.#siteFiles = siteFiles
  }

  /** The SHA-256 of a file as a sidecar names it (`sha256:…`); null where the file is gone or changes. */
  async of(file: SiteFile): Promise<string | null> {
    const name = [file.area, file.path]
    const known = this.#kept.get(name, file.version)
    if (known !== undefined) return known
    this.#next = (this.#next + 1) % LANES
    return this.#lanes.run(String(this.#next), async () => {
      const made = this.#kept.get(name, file.version) ?? (await this.#read(file))
      if (made !== null) this.#kept.set(name, made, file.version)
      return made
    })
  }

  async #read(file: SiteFile): Promise<string | null> {
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
}
