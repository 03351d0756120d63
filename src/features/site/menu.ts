import { keyText, parseKey } from '#core/key.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Outline } from './outline.ts'
import type { Entry } from './site-entries.ts'

/**
 * An entry of the site's menu. `url` is an address elsewhere or a path on the site without its prefix; null for a mere heading.
 */
export interface MenuItem {
  readonly label: string
  readonly url: string | null
  readonly newTab: boolean
  readonly children: readonly MenuItem[]
}

const DEEPEST = 8
/** The most items of a menu that are shown, with those below others. */
const MOST_ITEMS = 500
const MOST_BY_ITSELF = 6

/** Returns the menu of its document, without what is not live; without a document, the lists and pages of the site. */
export function menuOf(items: Json | undefined, outline: Outline, entries: ReadonlyMap<string, Entry>): MenuItem[] {
  if (Array.isArray(items)) return itemsOf(items, { outline, entries, left: MOST_ITEMS }, 1)
  const lists = [...outline.lists.values()].map(({ label, url }) => ({ label, url }))
  const pages = [...outline.records.values()]
    .filter(({ key, url, unlisted }) => !unlisted && key.kind === 'pages' && url !== '/' && !key.id.includes('~'))
    .map(({ title, url }) => ({ label: title, url }))
  return [...lists, ...pages].slice(0, MOST_BY_ITSELF).map((item) => ({ ...item, newTab: false, children: [] }))
}

/** Returns whether a link may be followed from a page: http, https, mailto, tel, or no scheme at all. */
export function isSafeHref(href: string): boolean {
  const scheme = /^[\s\p{Cc}]*([a-z][a-z0-9+.\-\s\p{Cc}]*):/iu.exec(href)?.[1]
  return scheme === undefined || /^(?:https?|mailto|tel)$/i.test(scheme)
}

/** Returns what a menu's file has that is not shown, whatever it leads to; undefined if all can be. */
export function excessOf(items: Json | undefined): string | undefined {
  let [count, isDeeper] = [0, false]
  for (let level = listOf(items), depth = 1; level.length > 0; depth++) {
    if (depth > DEEPEST) isDeeper = true
    else count += level.length
    if (isDeeper) break
    level = level.flatMap((item) => (isItem(item) ? listOf(item.children) : []))
  }
  if (count > MOST_ITEMS) return `A menu shows the first ${MOST_ITEMS} items: this one has ${count}.`
  return isDeeper ? `A menu shows ${DEEPEST} levels: this one has more.` : undefined
}

/** The site that a menu leads into, and the number of items that may still be shown. */
interface Shown {
  readonly outline: Outline
  readonly entries: ReadonlyMap<string, Entry>
  left: number
}

function itemsOf(items: readonly Json[], shown: Shown, depth: number): MenuItem[] {
  if (depth > DEEPEST) return []
  const made: MenuItem[] = []
  for (const item of items) {
    if (shown.left === 0) break
    shown.left--
    if (!isItem(item)) continue
    const children = itemsOf(listOf(item.children), shown, depth + 1)
    const target = targetOf(item, shown)
    const label = typeof item.label === 'string' && item.label !== '' ? item.label : target?.label
    if (label === undefined || (target === undefined && children.length === 0)) continue
    made.push({ label, url: target?.url ?? null, newTab: item.new_tab === true, children })
  }
  return made
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function isItem(item: Json): item is Fields {
  return item !== null && typeof item === 'object' && !Array.isArray(item)
}

function targetOf(item: Fields, { outline, entries }: Shown): { url: string; label?: string } | undefined {
  const { record = null } = item
  if (isItem(record)) {
    const key = parseKey(String(record.type), String(record.id))
    const entry = key && entries.get(keyText(key))
    return entry?.url && outline.records.get(entry.url) === entry ? { url: entry.url, label: entry.title } : undefined
  }
  return typeof item.url === 'string' && item.url !== '' && isSafeHref(item.url) ? { url: item.url } : undefined
}
