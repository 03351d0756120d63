import { listUrlOf } from '#core/permalink.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { type ListSizes, sizesOfType } from './list-sizes.ts'
import { asSorted, isNewestFirst } from './order.ts'
import type { Entry } from './site-entries.ts'

/** A list of the records of a type, or of those below one of its folders that has a page. */
export interface Section extends ListSizes {
  readonly url: string
  /** All records below it, in the order of their type. */
  readonly entries: readonly Entry[]
  /** The newest first, where they are in another order. */
  readonly newest?: readonly Entry[]
  readonly label: string
  /** The record that is its page. Only the list of a type may be without one. */
  readonly index: Entry | undefined
  /** Those of its records that are in none of the sections in it. */
  readonly own: readonly Entry[]
  /** The sections right in it that are in lists. */
  readonly sections: readonly Section[]
}

/** The sections of a site. */
export interface Sections {
  /** Lists of types, by address. */
  readonly lists: ReadonlyMap<string, Section>
  /** Those of folders, by address. */
  readonly folders: ReadonlyMap<string, Section>
  /** The nearest section of each record that is in a list, and of each page of a section the one that it is in. */
  readonly within: ReadonlyMap<Entry, Section>
}

interface Made extends Section {
  readonly own: Entry[]
  readonly entries: Entry[]
  readonly sections: Made[]
}

interface InFolder extends Made {
  readonly index: Entry
  readonly newest?: Entry[]
}

/** The records of a type: those in lists, newest first, and those that may be pages of sections. */
interface Parts {
  readonly type: ContentType
  readonly entries: Entry[]
  readonly pages: Entry[]
}

/** Returns whether a record is the page of the list of its type: the index of the type's own folder. */
export function isHead({ key: { id }, type: { name } }: Pick<Entry, 'key' | 'type'>): boolean {
  return id === 'index' && name !== 'pages'
}

/**
 * Finds the sections among the records that have pages. A section is a folder with `_index.md`, or with `index.md` and other
 * records below it; what is in a folder without a page is in the next section above. `listed` are those in lists, newest first.
 */
export function sectionsOf(records: ReadonlyMap<string, Entry>, listed: readonly Entry[], sizes: ListSizes): Sections {
  const sections = { lists: new Map<string, Section>(), folders: new Map<string, Section>(), within: new Map<Entry, Section>() }
  for (const { type, entries, pages } of partsOf(records, listed)) {
    const root = rootOf(type, entries, { records, sizes: sizesOfType(type, sizes) })
    for (const section of filled(root, pages, sections.within)) sections.folders.set(section.url, section)
    const isThere = entries.length > 0 || root.index?.isSection === true
    const isFree = records.get(root.url) === root.index && !sections.lists.has(root.url)
    if (type.name !== 'pages' && isThere && isFree) sections.lists.set(root.url, root)
  }
  return sections
}

function partsOf(records: ReadonlyMap<string, Entry>, listed: readonly Entry[]): Parts[] {
  const types = new Map<string, Parts>()
  const partOf = ({ type }: Entry): Parts => {
    const known = types.get(type.name) ?? { type, entries: [], pages: [] }
    types.set(type.name, known)
    return known
  }
  for (const entry of listed) partOf(entry).entries.push(entry)
  for (const entry of records.values()) {
    if (!entry.isSection && !entry.hasFolder) continue
    const { pages } = partOf(entry)
    if (entry.key.id !== 'index') pages.push(entry)
  }
  return [...types.values()].sort((a, b) => (a.type.name < b.type.name ? -1 : 1))
}

function rootOf(
  type: ContentType,
  entries: readonly Entry[],
  { records, sizes }: { records: ReadonlyMap<string, Entry>; sizes: ListSizes },
): Made {
  const url = type.name === 'pages' ? '/' : listUrlOf(type)
  const holder = records.get(url)
  const index = holder?.type === type && holder.key.id === 'index' ? holder : undefined
  const sorted = isNewestFirst(type) ? {} : { newest: entries }
  const label = index?.title ?? type.label
  return { url, label, index, ...sorted, entries: inOrder(type, entries), own: [], sections: [], ...sizes }
}

/** The records of a type in the order of its lists; `newest` has them by date. */
export function inOrder(type: ContentType, newest: readonly Entry[]): Entry[] {
  return isNewestFirst(type) ? [...newest] : newest.toSorted(asSorted)
}

/** Puts the records of a list into the sections of its folders, and returns these. */
function filled(root: Made, pages: readonly Entry[], within: Map<Entry, Section>): InFolder[] {
  const byPath = new Map(pages.map((index) => [index.key.id, sectionOf(index, root)]))
  for (const entry of root.entries) {
    const above = sectionsAbove(entry, byPath)
    for (const section of above) section.entries.push(entry)
    const nearest = above[0] ?? root
    nearest.own.push(entry)
    within.set(entry, nearest)
  }
  for (const entry of root.newest ?? []) for (const { newest } of sectionsAbove(entry, byPath)) newest?.push(entry)
  const isEmpty = ({ index, entries }: InFolder) => entries.length === 0 && !index.isSection
  for (const [id, section] of byPath) if (isEmpty(section)) byPath.delete(id)
  const made = [...byPath.values()].sort((a, b) => asSorted(a.index, b.index))
  for (const section of made) {
    const [parent = root] = sectionsAbove(section.index, byPath)
    if (!section.index.unlisted) parent.sections.push(section)
    within.set(section.index, parent)
  }
  return made
}

function sectionOf(index: Entry, { newest, perPage, feedLimit }: Made): InFolder {
  const sorted = newest ? { newest: [] } : {}
  return { url: index.url ?? '/', label: index.title, index, ...sorted, entries: [], own: [], sections: [], perPage, feedLimit }
}

/** The sections that a record is below, the nearest first. */
function sectionsAbove({ key: { id } }: Entry, byPath: ReadonlyMap<string, InFolder>): InFolder[] {
  const above: InFolder[] = []
  if (byPath.size === 0) return above
  for (let end = id.lastIndexOf('~'); end > 0; end = id.lastIndexOf('~', end - 1)) {
    const section = byPath.get(id.slice(0, end))
    if (section) above.push(section)
  }
  return above
}
