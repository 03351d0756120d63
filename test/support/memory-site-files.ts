import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { isSitePath, type SiteArea, type SiteFile, type SiteFiles, type SiteFilesPart } from '#core/files/site-files.ts'
import type { ByteRange } from '#core/media/blobs.ts'
import { compareText } from '#lib/text/compare.ts'

/** An implementation of `SiteFiles` in a Map, of files by path from the site's root. */
export class MemorySiteFiles implements SiteFiles {
  readonly #files = new Map<string, Buffer>()

  constructor(files: Readonly<Record<string, string | Buffer>> = {}) {
    for (const [path, bytes] of Object.entries(files)) this.#files.set(path, Buffer.from(bytes))
  }

  async find(area: SiteArea, path: string): Promise<SiteFile | undefined> {
    const bytes = isSitePath(area, path) ? this.#files.get(`${area}/${path}`) : undefined
    return bytes && { area, path, size: bytes.length, version: hash('sha1', bytes) }
  }

  async isTaken(area: SiteArea, path: string): Promise<boolean> {
    const wanted = `${area}/${path}`.toLowerCase()
    return [...this.#files.keys()].some((one) => one.toLowerCase() === wanted)
  }

  async open({ area, path, version }: SiteFile, { start, end }: ByteRange = { start: 0 }): Promise<Readable | undefined> {
    const bytes = this.#files.get(`${area}/${path}`)
    if (!bytes || hash('sha1', bytes) !== version) return undefined
    return Readable.from([bytes.subarray(start, end)], { objectMode: false })
  }

  async list(area: SiteArea, { below = '', after = '', limit }: SiteFilesPart): Promise<SiteFile[]> {
    const folder = below === '' ? '' : `${below}/`
    const paths = [...this.#files.keys()].filter((path) => path.startsWith(`${area}/`)).map((path) => path.slice(area.length + 1))
    const wanted = paths.filter((path) => path.startsWith(folder) && compareText(path, after) > 0).sort(compareText)
    const found = await Promise.all(wanted.map((path) => this.find(area, path)))
    return found.filter((file) => file !== undefined).slice(0, limit)
  }

  async recordFolders(folders: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(folders.filter((folder) => this.#files.has(`content/${folder === '' ? '' : `${folder}/`}index.md`)))
  }
}
