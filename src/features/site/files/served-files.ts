import type { Readable } from 'node:stream'
import type { SiteFile, SiteFiles } from '#core/files/site-files.ts'
import { endingOf } from '#core/media/attachments.ts'
import type { ByteRange } from '#core/media/blobs.ts'
import { type ETag, etagOf } from '#http/answers/etag.ts'
import { redirectTo } from '../outline/redirect.ts'
import type { SitePage, SiteSnapshot } from '../outline/site-snapshot.ts'
import { foldersInDoubt, placesAt } from './addresses.ts'
import { contentTypeOf, endingsOf, policyOf } from './content-types.ts'

/** A file as it is answered. `policy` is its content security policy, where it needs one. */
export interface ServedFile {
  readonly status: 200
  readonly size: number
  readonly etag: ETag
  readonly contentType: string
  readonly policy: string | undefined
  /** See `SiteFiles.open`. */
  open(range?: ByteRange): Promise<Readable | undefined>
}

const INDEX = '/index.html'

/** The files of a site by their addresses. */
export class ServedFiles {
  readonly #files: SiteFiles
  readonly #endings: ReadonlySet<string>

  /** `formats` are those of `media.types`. */
  constructor(files: SiteFiles, formats: readonly string[]) {
    this.#files = files
    this.#endings = endingsOf(formats)
  }

  /**
   * The file at an address below the site's, where no page is: `plain` is that in the spelling of `plainPath`. Another spelling,
   * and a folder with a page as a file in it, lead there.
   */
  async answer(own: string, plain: string, snapshot: SiteSnapshot): Promise<ServedFile | SitePage | undefined> {
    const address = own.endsWith(INDEX) ? plain + INDEX : plain
    const file = await this.find(address, snapshot)
    if (file) return own.split('/').length === address.split('/').length ? this.#served(file) : redirectTo(address, snapshot)
    // A host that serves x.html at /x does so with what is no page, too.
    const others = snapshot.urls === 'file' ? [plain + INDEX, `${plain}.html`] : [plain + INDEX]
    for (const other of others) if (await this.find(other, snapshot)) return redirectTo(other, snapshot)
    return undefined
  }

  /** Returns whether a file that lies beside records is of a format that is served. */
  isServed(path: string): boolean {
    return this.#endings.has(endingOf(path))
  }

  /** The file at an address in the spelling of `plainPath`, where no page is. */
  async find(address: string, snapshot: SiteSnapshot): Promise<SiteFile | undefined> {
    for (const { area, path } of placesAt(address, snapshot)) {
      const file = area === 'static' || this.isServed(path) ? await this.#files.find(area, path) : undefined
      if (file && (area === 'static' || !(await this.#isOfUnknown(path, snapshot)))) return file
    }
    return undefined
  }

  /** A record that came a moment ago may be one that is not shown. */
  async #isOfUnknown(path: string, snapshot: SiteSnapshot): Promise<boolean> {
    return (await this.#files.recordFolders(foldersInDoubt(path, snapshot))).size > 0
  }

  #served(file: SiteFile): ServedFile {
    return {
      status: 200,
      size: file.size,
      etag: etagOf(file.version),
      contentType: contentTypeOf(file.path),
      policy: policyOf(file.path),
      open: (range) => this.#files.open(file, range),
    }
  }
}
