import { setImmediate } from 'node:timers/promises'
import type { Problem } from '#core/document.ts'
import { isWellKnown, type SiteArea, type SiteFile, type SiteFiles } from '#core/files/site-files.ts'
import { keyText } from '#core/key.ts'
import { addressOfPath, isTaken } from '#core/permalink.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { addressOfAttachment, foldersInDoubt, placesAt } from './addresses.ts'
import type { MediaSource } from './media-source.ts'

/** A file of the site, and the path that it has in a built one. */
export interface PlacedFile {
  readonly file: SiteFile
  readonly out: string
}

/** A file that Quire makes where none of the site is, and its path in a built one; `to` is the page that an old address leads to. */
export interface YieldingFile {
  readonly address: string
  readonly out: string
  readonly to?: string
}

/** The files that a built site has for its pages, and for what else Quire makes. */
export interface MadeFiles {
  readonly pages: readonly string[]
  readonly yielding: readonly YieldingFile[]
}

/**
 * The files that a site has at some moment, and what Quire makes where none of them is; `lost` are those of which nobody sees
 * anything, each with the reason.
 */
export interface PlacedFiles {
  readonly placed: readonly PlacedFile[]
  readonly yielding: readonly YieldingFile[]
  readonly lost: readonly Problem[]
  /** The site's own redirects. */
  readonly redirects: SiteFile | undefined
}

/** The parts of a site that say which files it has. */
export interface FileSource {
  readonly siteFiles: SiteFiles
  /** The media that pages lead to; undefined where there are none. */
  readonly media: MediaSource | undefined
  /** The folder of content, from the site's root. */
  readonly content: string
  /** Returns whether a file beside a record is of a format that is served. */
  isServed(path: string): boolean
}

/** The file of a built site that hosts read redirects from (Netlify, Cloudflare Pages). */
export const REDIRECTS = '_redirects'

const AT_ONCE = 1_000
const MEDIA = 'media/'
const PAGE = 'that of a page, or of what Quire makes'

/**
 * Places all files of a site beside its pages. Of two for one place a page has it, then what lies beside records, then what lies in
 * `static`, and last what gives way to all.
 */
export async function placedFiles(source: FileSource, snapshot: SiteSnapshot, made: MadeFiles): Promise<PlacedFiles> {
  const places = new Places(made.pages)
  const placed: PlacedFile[] = []
  const lost: Problem[] = []
  const place = (file: SiteFile, address: string): void => {
    const out = decodeURIComponent(address).slice(1)
    const holder =
      isTaken(address) && !isWellKnown(file.path) ? 'one of Quire itself' : places.take(out, nameOf(file, source.content))
    if (holder === undefined) placed.push({ file, out })
    else lost.push(lostFile(nameOf(file, source.content), address, holder))
  }
  const rivals: { file: SiteFile; address: string }[] = []
  for await (const part of partsOf(source.siteFiles, 'content')) {
    for (const { file, address } of await ofRecords(part, source, snapshot)) {
      // A record's file may have the address that the path of another has.
      if (placesAt(address, snapshot)[0]?.path === file.path) place(file, address)
      else rivals.push({ file, address })
    }
  }
  for (const { file, address } of rivals) place(file, address)
  let redirects: SiteFile | undefined
  for await (const part of partsOf(source.siteFiles, 'static')) {
    for (const file of part) {
      if (file.path === REDIRECTS) redirects = file
      else place(file, addressOfPath(file.path))
    }
  }
  const yielding = made.yielding.filter(({ address, out, to }) => {
    const holder = places.take(out, address)
    if (holder !== undefined && to !== undefined) lost.push(lostRedirect(address, to, holder, snapshot))
    return holder === undefined
  })
  return { placed, yielding, lost, redirects }
}

/** Those that lie beside records and have an address: none of a record that came since the snapshot, which may not be shown. */
async function ofRecords(files: readonly SiteFile[], { siteFiles, isServed }: FileSource, snapshot: SiteSnapshot) {
  const found = files.flatMap((file) => {
    const isOwn = !file.path.startsWith(MEDIA) && isServed(file.path)
    const address = isOwn ? addressOfAttachment(file.path, snapshot) : undefined
    return address === undefined ? [] : [{ file, address, above: foldersInDoubt(file.path, snapshot) }]
  })
  const unknown = await siteFiles.recordFolders([...new Set(found.flatMap(({ above }) => above))])
  return found.filter(({ above }) => !above.some((folder) => unknown.has(folder)))
}

async function* partsOf(files: SiteFiles, area: SiteArea): AsyncGenerator<readonly SiteFile[]> {
  for (let after = ''; ; ) {
    const part = await files.list(area, { after, limit: AT_ONCE })
    yield part
    const last = part.at(-1)
    if (!last || part.length < AT_ONCE) return
    after = last.path
    await setImmediate()
  }
}

function nameOf({ area, path }: SiteFile, content: string): string {
  return `${area === 'content' ? content : area}/${path}`
}

function lostFile(file: string, address: string, holder: string): Problem {
  const message = `The address of this file, "${address}", is ${holder}: nobody sees it.`
  return { file, message, hint: 'Rename or move it.', severity: 'warning' }
}

function lostRedirect(address: string, to: string, holder: string, { outline }: SiteSnapshot): Problem {
  const record = outline.records.get(to)
  const message = `The alias "${address}" does not lead to ${to}: this address is ${holder}.`
  const hint = 'Take the alias out, or rename or move what is there.'
  return { file: record ? keyText(record.key) : to, message, hint, severity: 'warning' }
}

/** The files and folders of a built site: what one needs as a file another can't have as a folder. */
class Places {
  readonly #files = new Map<string, string>()
  readonly #folders = new Set<string>()

  constructor(pages: Iterable<string>) {
    for (const page of pages) this.#add(page, PAGE)
  }

  /** Takes a place; where it is not free, who has it, as the end of a sentence. */
  take(file: string, name: string): string | undefined {
    if (this.#folders.has(file)) return 'the way to others'
    for (let end = file.length; end > 0; end = file.lastIndexOf('/', end - 1)) {
      const holder = this.#files.get(file.slice(0, end))
      if (holder !== undefined) return holder
    }
    this.#add(file, `that of ${name}`)
    return undefined
  }

  #add(file: string, holder: string): void {
    this.#files.set(file, holder)
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = file.slice(0, end)
      if (this.#folders.has(folder)) return
      this.#folders.add(folder)
    }
  }
}
