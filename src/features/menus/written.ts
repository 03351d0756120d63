import type { Document } from '#core/document.ts'
import { rawOf } from '#core/format/written.ts'
import type { Put } from '#core/store.ts'
import { type Branch, treeAfter } from '#frontmatter/yaml/branches.ts'
import { spliceTree } from '#frontmatter/yaml/tree.ts'
import type { Fields, Json } from '#lib/json.ts'
import { everyItem, type FileItem, type Item, isSameTarget } from './tree.ts'

const KEYS = { list: 'items', below: 'children' } as const
const BOM = '\ufeff'

/** Returns the fields of a new menu. */
export function newFields(label: string | null | undefined, items: readonly Item[]): Fields {
  return { ...(label && { label }), items: items.map(dataOf) }
}

/**
 * Returns the change that makes a menu what it is to be; undefined where it is that already. All items get the ids that they are
 * known by; nothing else is written but what is changed.
 */
export async function changeOf(
  document: Document,
  now: readonly FileItem[],
  items: readonly Item[],
  label?: string | null,
): Promise<Put | undefined> {
  const said = typeof document.fields.label === 'string' && document.fields.label !== '' ? document.fields.label : null
  const set: Fields = label === undefined || label === said ? {} : { label }
  const isLabelled = Object.keys(set).length > 0
  if (isSame(now, items)) return isLabelled ? { set } : undefined
  const known = new Map([...everyItem(now)].map((item) => [item.id, item]))
  const branches = items.map((item) => branchOf(item, known))
  const source = await sourceOf(document, branches)
  if (source) return { source, ...(isLabelled && { set }) }
  const { items: list = null } = treeAfter(document.fields, KEYS, branches)
  return { set: { ...set, items: list } }
}

async function sourceOf(document: Document, branches: readonly Branch[]): Promise<Buffer | undefined> {
  if (!document.source || !rawOf(document)?.parts.data) return undefined
  const whole = document.source.toString('utf8')
  const head = whole.startsWith(BOM) ? BOM : ''
  const text = whole.slice(head.length)
  const made = await spliceTree(text, document.fields, KEYS, branches, text.includes('\r\n') ? '\r\n' : '\n')
  return made === undefined ? undefined : Buffer.from(head + made)
}

function branchOf(item: Item, known: ReadonlyMap<string, FileItem>): Branch {
  const old = known.get(item.id)
  const below = item.children.map((child) => branchOf(child, known))
  if (!old) {
    const { children: _, ...set } = dataOf({ ...item, children: [] })
    return { set, below }
  }
  return { from: old.from, set: old.isItem ? changesOf(item, old) : {}, below }
}

function changesOf(item: Item, old: FileItem): Record<string, Json | undefined> {
  const { target } = item
  return {
    ...(!old.hasId && { id: item.id }),
    ...(item.label !== old.label && { label: item.label ?? undefined }),
    ...(!isSameTarget(target, old.target) && {
      url: target && 'url' in target ? target.url : undefined,
      record: target && 'record' in target ? { ...target.record } : undefined,
    }),
    ...(item.newTab !== old.newTab && { new_tab: item.newTab ? true : undefined }),
  }
}

function dataOf({ id, label, target, newTab, children }: Item): Fields {
  return {
    id,
    ...(label !== null && { label }),
    ...(target && 'url' in target && { url: target.url }),
    ...(target && 'record' in target && { record: { ...target.record } }),
    ...(newTab && { new_tab: true }),
    ...(children.length > 0 && { children: children.map(dataOf) }),
  }
}

function isSame(one: readonly Item[], other: readonly Item[]): boolean {
  return (
    one.length === other.length &&
    one.every((item, n) => {
      const as = other[n]
      const isAlike = as && item.id === as.id && item.label === as.label && item.newTab === as.newTab
      return isAlike && isSameTarget(item.target, as.target) && isSame(item.children, as.children)
    })
  )
}
