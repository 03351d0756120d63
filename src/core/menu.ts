import type { Fields, Json } from '#lib/json.ts'

/** The most items of a menu that are shown, with those below others. */
export const MOST_ITEMS = 500
/** The most levels of a menu that are shown. */
export const DEEPEST = 8

/** The place that an item leads to: an address, or a record by its type and id. */
export type MenuTarget = { readonly url: string } | { readonly record: { readonly type: string; readonly id: string } }

/** An entry of a menu's list as its file has it. */
export interface MenuNode {
  /** The entry itself; anything but an object is no item. */
  readonly said: Json
  readonly isItem: boolean
  /** Null where the file has none: then it is called as the record that it leads to. */
  readonly label: string | null
  /** Null for a mere heading, and for an address that may not be followed from a page. */
  readonly target: MenuTarget | null
  readonly newTab: boolean
  readonly children: readonly MenuNode[]
}

/** Reads the list of a menu, or of what is below an item, as deep as a file may be; [] where there is none. */
export function readMenu(items: Json | undefined): MenuNode[] {
  return Array.isArray(items) ? items.map(nodeOf) : []
}

/** Returns whether a link may be followed from a page: http, https, mailto, tel, or no scheme at all. */
export function isSafeHref(href: string): boolean {
  const scheme = /^[\s\p{Cc}]*([a-z][a-z0-9+.\-\s\p{Cc}]*):/iu.exec(href)?.[1]
  return scheme === undefined || /^(?:https?|mailto|tel)$/i.test(scheme)
}

function nodeOf(said: Json): MenuNode {
  if (!isObject(said)) return { said, isItem: false, label: null, target: null, newTab: false, children: [] }
  const { label, new_tab, children } = said
  return {
    said,
    isItem: true,
    label: typeof label === 'string' && label !== '' ? label : null,
    target: targetOf(said),
    newTab: new_tab === true,
    children: readMenu(children),
  }
}

function targetOf({ record = null, url }: Fields): MenuTarget | null {
  if (isObject(record)) {
    const [type, id] = [textOf(record.type), textOf(record.id)]
    return type === undefined || id === undefined ? null : { record: { type, id } }
  }
  return typeof url === 'string' && url !== '' && isSafeHref(url) ? { url } : null
}

/** A name that YAML takes for a number is one all the same. */
function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function isObject(value: Json): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
