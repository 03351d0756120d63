import { keyText, parseKey } from '#core/key.ts'
import { DEEPEST, type MenuNode, MOST_ITEMS, readMenu } from '#core/menu.ts'
import type { Json } from '#lib/json.ts'
import type { LayeredMap } from '#lib/layered-map.ts'
import type { Entry } from './entry.ts'
import type { Outline } from './outline.ts'
import { pageAt } from './targets.ts'

/**
 * An entry of the site's menu. `url` is an address elsewhere or a path on the site without its prefix; null for a mere heading.
 */
export interface MenuItem {
  readonly label: string
  readonly url: string | null
  /** The path of the page that it leads to, with which `url` then begins; null where it leads to none. */
  readonly page: string | null
  readonly newTab: boolean
  /** The key of the record that it leads to, as a text; null where it leads elsewhere. */
  readonly record: string | null
  readonly children: readonly MenuItem[]
}

const MOST_BY_ITSELF = 6

/**
 * Returns the menu of its document, without what leads to a record that has no page, and without what is below that; without a
 * document, the lists and pages of the site.
 */
export function menuOf(items: Json | undefined, outline: Outline, entries: LayeredMap<Entry>): MenuItem[] {
  if (Array.isArray(items)) return itemsOf(readMenu(items), { outline, entries, left: MOST_ITEMS }, 1)
  const lists = [...outline.lists.values()].map(({ label, url }) => ({ label, url, page: url, record: null }))
  const pages = [...outline.records.values()]
    .filter(({ key, url, unlisted }) => !unlisted && key.kind === 'pages' && url !== '/' && !key.id.includes('~'))
    .map(({ key, title, url }) => ({ label: title, url, page: url, record: keyText(key) }))
  return [...lists, ...pages].slice(0, MOST_BY_ITSELF).map((item) => ({ ...item, newTab: false, children: [] }))
}

/** Returns what a menu's file has that is not shown, whatever it leads to; undefined if all can be. */
export function excessOf(items: Json | undefined): string | undefined {
  let [count, isDeeper] = [0, false]
  for (let level = readMenu(items), depth = 1; level.length > 0; depth++) {
    if (depth > DEEPEST) isDeeper = true
    else count += level.length
    if (isDeeper) break
    level = level.flatMap(({ children }) => children)
  }
  if (count > MOST_ITEMS) return `A menu shows the first ${MOST_ITEMS} items: this one has ${count}.`
  return isDeeper ? `A menu shows ${DEEPEST} levels: this one has more.` : undefined
}

/** The site that a menu leads into, and the number of items that may still be shown. */
interface Shown {
  readonly outline: Outline
  readonly entries: LayeredMap<Entry>
  left: number
}

/** The place that an item leads to; a record gives it a label. */
interface Led {
  readonly url: string
  readonly page?: string | undefined
  readonly label?: string
  readonly record?: string
}

function itemsOf(nodes: readonly MenuNode[], shown: Shown, depth: number): MenuItem[] {
  if (depth > DEEPEST) return []
  const made: MenuItem[] = []
  for (const node of nodes) {
    if (shown.left === 0) break
    shown.left--
    const children = itemsOf(node.children, shown, depth + 1)
    const target = targetOf(node, shown)
    const label = node.label ?? target?.label
    const isHeading = node.target === null && children.length > 0
    if (label === undefined || (target === undefined && !isHeading)) continue
    made.push({
      label,
      url: target?.url ?? null,
      page: target?.page ?? null,
      newTab: node.newTab,
      record: target?.record ?? null,
      children,
    })
  }
  return made
}

function targetOf({ target }: MenuNode, { outline, entries }: Shown): Led | undefined {
  if (target === null) return undefined
  if ('url' in target) return ledBy(target.url, outline)
  const key = parseKey(target.record.type, target.record.id)
  const record = key && keyText(key)
  const entry = record === undefined ? undefined : entries.get(record)
  if (!record || !entry?.url || outline.records.get(entry.url) !== entry) return undefined
  return { url: entry.url, page: entry.url, label: entry.title, record }
}

/** The place of an address as it is written: that of a page in the spelling of its path. */
function ledBy(url: string, outline: Outline): Led {
  const end = url.search(/[?#]|$/)
  const page = url.startsWith('/') && !url.startsWith('//') ? pageAt(url.slice(0, end), outline, 'directory') : undefined
  return page === undefined ? { url } : { url: page + url.slice(end), page }
}
