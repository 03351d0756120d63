import { MOST_ITEMS } from '#core/menu.ts'
import type { Fields, Json } from '#lib/json.ts'
import { objectOf, objectsOf, textOf } from '../folder.ts'
import type { DataItem } from '../item.ts'

/** An entry of a menu of Hugo. */
interface Entry {
  readonly label: string
  readonly target: Fields
  readonly weight: number
  readonly id: string
  readonly parent: string | undefined
}

/** The menus of a site of Hugo, of its configuration and of the front matter of its pages. */
export class HugoMenus {
  readonly #menus = new Map<string, Entry[]>()

  /** Takes those of a configuration: `menus`, by name. */
  async addConfigured(menus: Json | undefined, recordAt: (page: string) => Promise<Fields | undefined>): Promise<void> {
    for (const [name, entries] of Object.entries(objectOf(menus))) {
      for (const entry of objectsOf(entries)) {
        const { url, pageRef, pageref } = entry
        const page = textOf(pageRef ?? pageref)
        const record = page === undefined ? undefined : await recordAt(page)
        this.#add(name, entry, { label: '', target: record ? { record } : { url: textOf(url) ?? page ?? '' } })
      }
    }
  }

  /** Takes those that a page says it is in. */
  addPage(data: Readonly<Fields>, record: { readonly type: string; readonly id: string }): void {
    const said = data.menus ?? data.menu
    const target = { record: { type: record.type, id: record.id } }
    const label = textOf(data.linkTitle ?? data.linktitle ?? data.title) ?? ''
    if (typeof said === 'string' || Array.isArray(said)) {
      for (const name of [said].flat()) if (typeof name === 'string') this.#add(name, {}, { label, target })
      return
    }
    for (const [name, entry] of Object.entries(objectOf(said))) this.#add(name, objectOf(entry), { label, target })
  }

  /** The menus as documents, each entry below its parent, in the order of their weights. */
  *items(): Generator<DataItem> {
    for (const [name, entries] of [...this.#menus].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (!/^[\w-]{1,100}$/.test(name)) continue
      const ordered = [...entries].sort(
        (a, b) => weightOf(a) - weightOf(b) || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0),
      )
      const below = new Map<string, Entry[]>()
      for (const entry of ordered) {
        const parent = entry.parent !== undefined && ordered.some(({ id }) => id === entry.parent) ? entry.parent : ''
        below.set(parent, [...(below.get(parent) ?? []), entry])
      }
      const items = treeOf('', below, 0)
      if (items.length > 0) yield { is: 'data', from: `menu ${name}`, kind: 'menus', id: name, set: { items } }
    }
  }

  #add(menu: string, entry: Fields, { label, target }: { label: string; target: Fields }): void {
    const entries = this.#menus.get(menu) ?? []
    if (entries.length >= MOST_ITEMS) return
    const shown = textOf(entry.name ?? entry.title) ?? label
    const { weight, parent } = entry
    const id = textOf(entry.identifier) ?? shown
    const url = textOf(entry.url)
    const where = url === undefined || 'record' in target ? target : { url }
    entries.push({ label: shown, target: where, weight: Number(weight) || 0, id, parent: textOf(parent) })
    this.#menus.set(menu, entries)
  }
}

/** Levels of a menu, at most. */
const DEEPEST = 8

function treeOf(parent: string, below: Map<string, Entry[]>, depth: number): Fields[] {
  const entries = below.get(parent) ?? []
  below.delete(parent)
  return entries.map(({ label, target, id }) => {
    const children = depth + 1 < DEEPEST && id !== '' ? treeOf(id, below, depth + 1) : []
    return { ...(label !== '' && { label }), ...target, ...(children.length > 0 && { children }) }
  })
}

/** Hugo puts those without a weight last. */
function weightOf({ weight }: Entry): number {
  return weight === 0 ? Number.MAX_SAFE_INTEGER : weight
}
