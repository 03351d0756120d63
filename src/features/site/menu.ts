import { keyText, parseKey } from '#core/key.ts'
import type { Json } from '#lib/json.ts'
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
const MOST_BY_ITSELF = 6

/** Returns the menu of its document, without what is not live; without a document, the lists and pages of the site. */
export function menuOf(items: Json | undefined, outline: Outline, entries: ReadonlyMap<string, Entry>): MenuItem[] {
  if (Array.isArray(items)) return itemsOf(items, outline, entries, 1)
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

function itemsOf(items: Json[], outline: Outline, entries: ReadonlyMap<string, Entry>, depth: number): MenuItem[] {
  if (depth > DEEPEST) return []
  return items.flatMap((item) => {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return []
    const children = Array.isArray(item.children) ? itemsOf(item.children, outline, entries, depth + 1) : []
    const target = targetOf(item, outline, entries)
    const label = typeof item.label === 'string' && item.label !== '' ? item.label : target?.label
    if (label === undefined || (target === undefined && children.length === 0)) return []
    return [{ label, url: target?.url ?? null, newTab: item.new_tab === true, children }]
  })
}

function targetOf(
  item: { [key: string]: Json },
  outline: Outline,
  entries: ReadonlyMap<string, Entry>,
): { url: string; label?: string } | undefined {
  const record = item.record
  if (record !== null && typeof record === 'object' && !Array.isArray(record)) {
    const key = parseKey(String(record.type), String(record.id))
    const entry = key && entries.get(keyText(key))
    return entry?.url && outline.records.get(entry.url) === entry ? { url: entry.url, label: entry.title } : undefined
  }
  return typeof item.url === 'string' && item.url !== '' && isSafeHref(item.url) ? { url: item.url } : undefined
}
