import { isForHosts, isSitePath, type SiteArea } from '#core/files/site-files.ts'
import { SYSTEM_FOLDERS } from '#core/key.ts'
import { foldersAbove, isAttachmentName } from '#core/media/attachments.ts'
import { addressOfPath, isTaken, PREFIX_OF_TAKEN, pathOfAddress } from '#core/permalink.ts'
import type { Entry } from '../outline/entry.ts'
import type { Records } from '../outline/holders.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'

/** A place at which a file of the site may lie. */
export interface FilePlace {
  readonly area: SiteArea
  readonly path: string
}

/** The parts of a site that say whose its files are, and where. */
type Owners = Pick<SiteSnapshot, 'entries' | 'folders' | 'outline' | 'types'>

const MEDIA = 'media/'
/** The address of the page for what is not there, as a file. */
const MISSING = '/404.html'
/** The most characters of an address that a file can have. */
const LONGEST = 4_000
/** An address that ends so is a file in a built site: what belongs to it is beside. */
const PAGE_FILE = /\.html?$/i

/**
 * The address that a file of the content has, by its path below content/, if it is there: below the page of the record whose
 * folder it lies in, else below its type. Undefined where none is served, as of a record that is not shown.
 */
export function addressOfFile(path: string, site: Owners): string | undefined {
  if (!isAttachmentName(path) || !isSitePath('content', path)) return undefined
  return path.startsWith(MEDIA) ? addressOfPath(path) : addressOfAttachment(path, site)
}

/** As `addressOfFile`, of what lies beside records alone: no media. */
export function addressOfAttachment(path: string, { entries, folders, outline, types }: Owners): string | undefined {
  for (const folder of foldersAbove(path)) {
    const name = folders.get(folder)
    if (name === undefined) continue
    const entry = entries.get(name)
    if (!entry?.url || outline.records.get(entry.url) !== entry) return undefined
    return baseOf(entry.url) + addressOfPath(folder === '' ? path : path.slice(folder.length + 1))
  }
  const type = typeName(path)
  if (SYSTEM_FOLDERS.has(type) || (types.get(type)?.permalink ?? null) === null) return undefined
  const address = addressOfPath(path)
  return isTaken(address) ? PREFIX_OF_TAKEN + address : address
}

/**
 * Returns the folders above a file up to that of the record it belongs to, the nearest first: one may be of a record that the site
 * does not know yet.
 */
export function foldersInDoubt(path: string, { folders }: Pick<Owners, 'folders'>): string[] {
  const above = [...foldersAbove(path)]
  const known = above.findIndex((folder) => folders.has(folder))
  return known < 0 ? above : above.slice(0, known)
}

/**
 * The places at which the file of an address (in the spelling of `plainPath`) may lie, likeliest first. One address leads to each
 * file alone.
 */
export function placesAt(address: string, site: Owners): FilePlace[] {
  if (address.length > LONGEST || address === MISSING) return []
  const path = pathOfAddress(address)
  const inContent = isAttachmentName(path) ? [...candidates(address, path, site)] : []
  const content = inContent.filter((one) => isSitePath('content', one) && addressOfAttachment(one, site) === address)
  const all: FilePlace[] = [...new Set(content)].map((one) => ({ area: 'content', path: one }))
  return isSitePath('static', path) && !isForHosts(path) ? [...all, { area: 'static', path }] : all
}

/** The paths below content/ that a file may have at an address: of records, those with the longest address first. */
function* candidates(address: string, path: string, { outline }: Owners): Generator<string> {
  for (let end = address.lastIndexOf('/'); end >= 0; end = end === 0 ? -1 : address.lastIndexOf('/', end - 1)) {
    for (const { folder, hasFolder } of recordsAt(address.slice(0, end) || '/', outline.records)) {
      const rest = hasFolder ? pathOfAddress(address.slice(end)) : undefined
      if (rest !== undefined) yield folder === '' ? rest : `${folder}/${rest}`
    }
  }
  yield path
  if (address.startsWith(`${PREFIX_OF_TAKEN}/`)) yield pathOfAddress(address.slice(PREFIX_OF_TAKEN.length))
}

function recordsAt(url: string, records: Records): Entry[] {
  return [url, `${url}.html`, `${url}.htm`].flatMap((one) => records.get(one) ?? [])
}

function baseOf(url: string): string {
  return url === '/' ? '' : url.replace(PAGE_FILE, '')
}

function typeName(path: string): string {
  const slash = path.indexOf('/')
  return slash < 0 ? 'pages' : path.slice(0, slash)
}
