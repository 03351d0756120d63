import { listUrlOf } from '#core/permalink.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { sortedWith } from '#lib/sorted-lists.ts'
import { type Change, changeOf } from './change.ts'
import type { Entry } from './entry.ts'
import type { Records } from './holders.ts'
import { type ListSizes, sizesOfType } from './list-sizes.ts'
import { asSorted, byId, isNewestFirst, newestFirst } from './order.ts'

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

/** The records of a type with pages, in its sections. */
export interface TypeSections {
  readonly type: ContentType
  /** Those in lists, the newest first. */
  readonly newest: readonly Entry[]
  /** Those in lists, in the order of the type. */
  readonly sorted: readonly Entry[]
  /** Those that may be pages of sections, by id. */
  readonly pages: readonly Entry[]
  readonly root: Section
  /** The sections of folders, by the ids of their pages, in the order of the type. */
  readonly folders: ReadonlyMap<string, InFolder>
}

interface Made extends Section {
  readonly own: Entry[]
  readonly sections: Made[]
}

interface InFolder extends Made {
  readonly entries: Entry[]
  readonly index: Entry
  readonly newest?: Entry[]
}

/** Returns whether a record is the page of the list of its type: the index of the type's own folder. */
export function isHead({ key: { id }, type: { name } }: Pick<Entry, 'key' | 'type'>): boolean {
  return id === 'index' && name !== 'pages'
}

/** Returns whether a record is in lists. */
export function isListed(entry: Entry): boolean {
  return !entry.unlisted && !entry.isSection && !isHead(entry)
}

/**
 * Returns the sections of a type after a change of its records. A section is a folder with `_index.md`, or with `index.md` and other
 * records below it; what is in a folder without a page is in the next section above.
 */
export function sectionsAfter(
  before: TypeSections | undefined,
  type: ContentType,
  change: Change,
  { records, sizes }: { readonly records: Records; readonly sizes: ListSizes },
): TypeSections {
  const listed = changeOf(change, isListed)
  const newest = sortedWith(before?.newest ?? [], listed, newestFirst)
  const sorted = isNewestFirst(type) ? newest : sortedWith(before?.sorted ?? [], listed, asSorted)
  const pages = sortedWith(before?.pages ?? [], changeOf(change, mayBePage), byId)
  const url = type.name === 'pages' ? '/' : listUrlOf(type)
  const holder = records.get(url)
  const index = holder?.type === type && holder.key.id === 'index' ? holder : undefined
  const byDate = sorted === newest ? {} : { newest }
  const root = { url, label: index?.title ?? type.label, index, ...byDate, ...sizesOfType(type, sizes) }
  const lists = { type, newest, sorted, pages }
  if (pages.length === 0) return { ...lists, root: { ...root, entries: sorted, own: sorted, sections: [] }, folders: new Map() }
  const made: Made = { ...root, entries: sorted, own: [], sections: [] }
  return { ...lists, root: made, folders: filled(made, pages) }
}

function mayBePage({ isSection, hasFolder, key }: Entry): boolean {
  return (isSection || hasFolder) && key.id !== 'index'
}

/** Returns whether a type has a list, where no other has its address. */
export function hasList({ type, newest, root }: TypeSections, records: Records): boolean {
  const isThere = newest.length > 0 || root.index?.isSection === true
  return type.name !== 'pages' && isThere && records.get(root.url) === root.index
}

/**
 * The nearest section of a record that is in a list, and of the page of a section the one that it is in; undefined for all others.
 */
export function sectionOf(entry: Entry, { root, folders }: TypeSections): Section | undefined {
  if (!isListed(entry) && folders.get(entry.key.id)?.index !== entry) return undefined
  return sectionsAbove(entry, folders)[0] ?? root
}

/** Puts the records of a list into the sections of its folders, and returns these by the ids of their pages. */
function filled(root: Made, pages: readonly Entry[]): Map<string, InFolder> {
  const byPath = new Map(pages.map((index) => [index.key.id, emptySection(index, root)]))
  for (const entry of root.entries) {
    const above = sectionsAbove(entry, byPath)
    for (const section of above) section.entries.push(entry)
    const nearest = above[0] ?? root
    nearest.own.push(entry)
  }
  for (const entry of root.newest ?? []) for (const { newest } of sectionsAbove(entry, byPath)) newest?.push(entry)
  const isEmpty = ({ index, entries }: InFolder) => entries.length === 0 && !index.isSection
  for (const [id, section] of byPath) if (isEmpty(section)) byPath.delete(id)
  const made = [...byPath].sort(([, a], [, b]) => asSorted(a.index, b.index))
  for (const [, section] of made) {
    const [parent = root] = sectionsAbove(section.index, byPath)
    if (!section.index.unlisted) parent.sections.push(section)
  }
  return new Map(made)
}

function emptySection(index: Entry, { newest, perPage, feedLimit }: Made): InFolder {
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
