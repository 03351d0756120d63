import type { Readable } from 'node:stream'
import { segmentFault } from '../key.ts'
import type { ByteRange } from '../media/blobs.ts'
import { isRecordName } from './layout.ts'

/** A folder of a site that has files: that of its content, or `static`. */
export type SiteArea = 'content' | 'static'

/** A file of a site that is no document: beside a record, among the media, or in `static`. */
export interface SiteFile {
  readonly area: SiteArea
  /** From the area's folder with `/`, in NFC: `posts/trip/cat.jpg`. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** An opaque text that changes with the bytes. */
  readonly version: string
}

/** The part of an area that is listed: up to `limit` files behind the path `after`, of the folder `below` alone. */
export interface SiteFilesPart {
  readonly below?: string
  readonly after?: string
  readonly limit: number
}

/** The files of a site that are no documents, by their paths. None that leads elsewhere, or whose path `isSitePath` refuses, is one. */
export interface SiteFiles {
  /** The file at a path, in the case that the path has; undefined where there is none. */
  find(area: SiteArea, path: string): Promise<SiteFile | undefined>
  /** True where something is at a path, in whatever case its names are: on some disks it would be in the way of a file there. */
  isTaken(area: SiteArea, path: string): Promise<boolean>
  /**
   * The bytes of a file that was found, or those of a range; undefined where it is gone or another by now. What changes while it
   * is read ends in an error, never in other bytes.
   */
  open(file: SiteFile, range?: ByteRange): Promise<Readable | undefined>
  /** Files in code point order of their paths. Those that come or go between two parts may be in either. */
  list(area: SiteArea, part: SiteFilesPart): Promise<SiteFile[]>
  /**
   * Those of the folders of the content, '' for its own, in which a record's `index` lies at this moment, known of or not. Who asks
   * after a file was found learns of a record that came with it. Throws Unavailable where others take long to change a folder.
   */
  recordFolders(folders: readonly string[]): Promise<ReadonlySet<string>>
}

/** The most characters of a path, and the most names in one: a link may have any. */
const LONGEST = 1_000
const DEEPEST = 64

/** The folder of `static` for what others look for at a fixed place (RFC 8615), and what Quire has there itself. */
const WELL_KNOWN = '.well-known'
const OWN = `${WELL_KNOWN}/quire`

/** The files of `static` that hosts of built sites read, and show to nobody. No other name that begins with a dot or `_` is taken along. */
const FOR_HOSTS: ReadonlySet<string> = new Set(['_headers', '_redirects', '_routes.json', '.nojekyll', '.domains'])

/** Returns whether a path of `static` is that of a file for hosts, which belongs into a built site and has no address. */
export function isForHosts(path: string): boolean {
  return FOR_HOSTS.has(path)
}

/** Returns whether a path, or an address of the site, is below `.well-known`, but for that of Quire itself. */
export function isWellKnown(path: string): boolean {
  const own = path.replace(/^\//, '')
  return own.startsWith(`${WELL_KNOWN}/`) && own !== OWN && !own.startsWith(`${OWN}/`)
}

/**
 * Returns whether a path can be that of a site's file: by the rules for ids, and no document's in the content. Of `static`, also what
 * hosts look for: `_headers`, `.well-known/security.txt`.
 */
export function isSitePath(area: SiteArea, path: string): boolean {
  if (path.length > LONGEST || (area === 'content' && isRecordName(path))) return false
  if (area === 'static' && (isForHosts(path) || path === WELL_KNOWN)) return true
  const names = (area === 'static' && isWellKnown(path) ? path.slice(WELL_KNOWN.length + 1) : path).split('/')
  return names.length <= DEEPEST && names.every((segment) => segmentFault(segment) === undefined)
}
