import type { Document, Head } from '#core/document.ts'
import type { MenuTarget } from '#core/menu.ts'
import { type ETag, type Tagged, versionETag } from '#http/answers/etag.ts'
import { type Fields, jsonLength } from '#lib/json.ts'
import { MOST_BYTES } from '../records/reading/omission.ts'
import type { ItemView, ListedMenu, MenuView } from './schema.ts'
import type { FileItem, Item } from './tree.ts'

/** A menu as it is answered. */
export interface MenuAnswer extends Tagged {
  readonly view: MenuView
}

/** A menu as one reader knows it: all that its file has, and what is shown of it. */
export interface KnownMenu {
  readonly document: Document
  readonly all: readonly FileItem[]
  readonly shown: readonly Item[]
  /** Tells of a target whether the reader may see it. */
  readonly sees: (target: MenuTarget | null) => boolean
}

/** Returns a menu with those of its items that the reader may see. */
export function viewOf({ key, fields, version }: Document, items: readonly Item[]): MenuView {
  return { name: key.id, label: labelOf(fields.label), items: items.map(itemView), version }
}

/** Returns whether menus are too long together for the items of all of them to be in one answer. */
export function areTooLong(fields: readonly Readonly<Fields>[]): boolean {
  return fields.reduce((length, { items = null }) => length + jsonLength(items), 0) > MOST_BYTES
}

/** Returns a menu without its items. */
export function withoutItems({ key, fields, version }: Head): ListedMenu {
  return { name: key.id, label: labelOf(fields.label), version }
}

/** Returns the answer with a menu. Its ETag stands for all of the menu: what the reader may see is not in the version. */
export function answerOf(view: MenuView, meta?: object): MenuAnswer {
  const body = Buffer.from(JSON.stringify({ data: view, ...(meta && { meta }) }))
  return { view, body, etag: etagOf(view) }
}

/** Returns the ETag of a menu as a reader sees it. */
export function etagOf(view: MenuView): ETag {
  return versionETag(view.version, JSON.stringify({ data: view }))
}

/** Returns an item and those below it as clients see them. */
export function itemView({ id, label, target, newTab, children }: Item): ItemView {
  const url = target && 'url' in target ? target.url : null
  const record = target && 'record' in target ? { ...target.record } : null
  return { id, label, url, record, new_tab: newTab, children: children.map(itemView) }
}

/** Returns the label of a menu's file; null where it has none. */
export function labelOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
