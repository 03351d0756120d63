import { parseKey } from '#core/key.ts'
import type { LinkPlace } from '#core/links/resolve.ts'
import { pageHref, type UrlStyle } from '#core/page-address.ts'
import { groupsIn, SETTINGS, type Setting, settingValues } from '#core/settings.ts'
import { nextStatusChange } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import { type DeclaredTerms, declaredTerms } from '#core/terms/tree.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Tagged } from '#http/etag.ts'
import { Cache } from '#lib/cache.ts'
import type { Json } from '#lib/json.ts'
import { settingShown } from '../files/fields.ts'
import { type SiteSizes, sizesOfSite } from './list-sizes.ts'
import { type MenuItem, menuOf } from './menu.ts'
import { type Outline, outlineOf, type Showing } from './outline.ts'
import type { Entry, SiteRecords, Timed } from './site-entries.ts'
import { pageAt } from './targets.ts'

/** An answer of the site. `location` is set with 308; `trusted` where a page holds HTML that was not cleaned. */
export interface SitePage extends Tagged {
  readonly status: 200 | 308 | 404
  readonly contentType: string
  /** Set for a page, whose address is spelled as the host serves pages. */
  readonly isPage?: true
  readonly location?: string
  readonly immutable?: boolean
  readonly trusted?: boolean
  /** Set where it is kept by what made it, and may be another in the same state. */
  readonly isKept?: false
  /** The questions about pictures that it was made with, where there are any. */
  readonly pictures?: ReadonlyMap<string, string | null>
}

/** The location of the site on the web. */
export interface Place {
  /** Scheme and host, without a path: `https://example.org`. */
  readonly origin: string
  /** The path before every address, '' or `/repo`. */
  readonly base: string
  /** The way in which addresses of pages are spelled. */
  readonly urls: UrlStyle
}

/** The site in one state: what is shown, where, with which menu. Pages made of it are kept until it is replaced. */
export interface SiteSnapshot extends Place {
  readonly outline: Outline
  readonly showing: Showing
  readonly entries: ReadonlyMap<string, Entry>
  /** See `SiteRecords`. */
  readonly folders: ReadonlyMap<string, string>
  readonly types: ContentTypes
  /** The main menu, or what stands for it. */
  readonly menu: readonly MenuItem[]
  /** All menus by name. */
  readonly menus: ReadonlyMap<string, readonly MenuItem[]>
  /** Values of settings by group and name. */
  readonly settings: ReturnType<typeof settingValues>
  readonly made: number
  /** Time at which the clock next changes what pages show, in milliseconds since 1970. */
  readonly until: number
  readonly pages: Cache<SitePage>
}

const MENUS = 'menus'
const MAIN_MENU = 'main'
/** The most menus that templates know. */
const MOST_MENUS = 200

const KEPT_BYTES = 32 * 1024 * 1024

/** The place an absolute address names. */
export function placeOf(url: string, urls: UrlStyle): Place {
  const { origin, pathname } = new URL(url)
  return { origin, base: pathname.replace(/\/+$/, ''), urls }
}

/** Returns the href of the page at a path of the site. */
export function hrefOf({ base, urls }: Pick<Place, 'base' | 'urls'>, path: string): string {
  return base + pageHref(path, urls)
}

/** The parts that a snapshot is made of. `settings` are the declared ones; absent where these are switched off. */
export interface SnapshotParts {
  readonly store: Store
  readonly types: ContentTypes
  readonly settings?: ReadonlyMap<string, Setting>
  readonly config: { readonly site: SiteSizes }
}

/** Reads terms, settings and the menu, and makes the snapshot of `now`. */
export async function snapshotOf(
  parts: SnapshotParts,
  { entries, pageless, folders }: SiteRecords,
  now: number,
  showing: Showing,
  place: Place,
): Promise<SiteSnapshot> {
  const terms = await termsOf(parts.store, parts.types)
  const outline = outlineOf(entries.values(), terms, now, showing, sizesOfSite(parts.config.site))
  const { items } = await parts.store.heads(MENUS, {})
  const readable = items.filter(({ fields, problem }) => Array.isArray(fields.items) && problem?.severity !== 'error')
  const menus = new Map(readable.slice(0, MOST_MENUS).map(({ key, fields }) => [key.id, menuOf(fields.items, outline, entries)]))
  const menu = menus.get(MAIN_MENU) ?? menuOf(await mainItems(parts.store), outline, entries)
  const settings = parts.settings
    ? await settingsOf(parts.store, parts.settings, place.base, (path) => pageAt(path, outline, place.urls))
    : {}
  const pages = new Cache<SitePage>({ bytes: KEPT_BYTES, sizeOf: ({ body }) => body.length })
  const until = Math.min(nextChange(entries.values(), now), nextChange(pageless.values(), now))
  const records = { entries: new Map(entries), folders: new Map(folders), types: parts.types }
  return { ...place, ...records, outline, showing, menu, menus: menus.set(MAIN_MENU, menu), settings, made: now, until, pages }
}

/** The items of the main menu where it is in no list: while git changes files, what is missing may be there in a moment. */
async function mainItems(store: Store): Promise<Json | undefined> {
  const key = parseKey(MENUS, MAIN_MENU)
  return key && (await store.get(key))?.fields.items
}

/** The values of settings as templates get them. */
async function settingsOf(
  store: Store,
  declared: ReadonlyMap<string, Setting>,
  base: string,
  pageAt: LinkPlace['pageAt'],
): Promise<SiteSnapshot['settings']> {
  const values = settingValues(declared, groupsIn((await store.heads(SETTINGS, {})).items))
  for (const { group, name, field } of declared.values()) {
    const made = settingShown(field, values[group]?.[name], { base, pageAt })
    if (made !== undefined) values[group] = { ...values[group], [name]: made }
  }
  return values
}

function nextChange(records: Iterable<Timed>, now: number): number {
  let next = Number.POSITIVE_INFINITY
  for (const { timing, type } of records) next = Math.min(next, nextStatusChange(timing, type.statuses, now) ?? next)
  return next
}

async function termsOf(store: Store, types: ContentTypes): Promise<Map<string, DeclaredTerms>> {
  const terms = new Map<string, DeclaredTerms>()
  for (const taxonomy of types.taxonomies()) {
    const { items } = await store.heads(`taxonomy/${taxonomy.name}`, {})
    terms.set(taxonomy.name, declaredTerms(taxonomy, items))
  }
  return terms
}
