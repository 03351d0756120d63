import { parseKey } from '#core/key.ts'
import type { LinkPlace } from '#core/links/resolve.ts'
import { pageHref, type UrlStyle } from '#core/page-address.ts'
import { groupsIn, SETTINGS, type Setting, settingValues } from '#core/settings.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Tagged } from '#http/answers/etag.ts'
import type { Json } from '#lib/json.ts'
import type { LayeredMap } from '#lib/layered-map.ts'
import { settingShown } from '../files/fields.ts'
import type { Entry } from './entry.ts'
import type { SiteSizes } from './list-sizes.ts'
import { type MenuItem, menuOf } from './menu.ts'
import type { Outline, Showing } from './outline.ts'
import type { SiteRecords } from './site-entries.ts'
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
  /** All that it was made of, where that can be compared. */
  readonly madeOf?: MadeOf
}

/** All that a page was made of beside the theme: where that is the same, the page is. */
export interface MadeOf {
  /** All that each page of the site depends on. */
  readonly basis: string
  readonly inputs: string
  /** Questions that were asked of the site, with the answers. */
  readonly asked: readonly (readonly [question: string, answer: string | null])[]
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

/** The site in one state: what is shown, where, with which menu. */
export interface SiteSnapshot extends Place {
  readonly outline: Outline
  readonly showing: Showing
  readonly entries: LayeredMap<Entry>
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
}

const MENUS = 'menus'
const MAIN_MENU = 'main'
/** The most menus that templates know. */
const MOST_MENUS = 200

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

/** The state of a site's records that a snapshot shows. */
export interface ShownState extends Place {
  readonly outline: Outline
  readonly records: SiteRecords
  readonly showing: Showing
  readonly now: number
  readonly until: number
}

/** Reads settings and the menu, and makes the snapshot of a state. */
export async function snapshotOf(
  { store, types, settings: declared }: SnapshotParts,
  { outline, records, showing, now, until, origin, base, urls }: ShownState,
): Promise<SiteSnapshot> {
  const { entries, folders } = records
  const { items } = await store.heads(MENUS, {})
  const readable = items.filter(({ fields, problem }) => Array.isArray(fields.items) && problem?.severity !== 'error')
  const menus = new Map(readable.slice(0, MOST_MENUS).map(({ key, fields }) => [key.id, menuOf(fields.items, outline, entries)]))
  const menu = menus.get(MAIN_MENU) ?? menuOf(await mainItems(store), outline, entries)
  const settings = declared ? await settingsOf(store, declared, base, (path) => pageAt(path, outline, urls)) : {}
  const shown = { entries, folders, types, outline, showing, menu, menus: menus.set(MAIN_MENU, menu), settings }
  return { origin, base, urls, ...shown, made: now, until }
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
