import { createHash } from 'node:crypto'
import { Slices } from '#lib/concurrency/slices.ts'
import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { FoundAuthor } from '../pages/authors.ts'
import type { Summaries } from '../pages/summaries.ts'

/** All of a site that pages are made of, but for what they ask of the store and of files, and what every page depends on. */
export interface SiteState {
  /**
   * A hash of what the records have to do with each other: which there are, where, in which order, with which terms and authors. As
   * long as it is the same, each page is of the same records, and its links lead to the same addresses.
   */
  readonly shape: string
  /** The rest of each record: its version, and when it was last changed. They are in the order of the shape. */
  readonly records: readonly string[]
}

/** Of entries: their part in the shape of a site, in which nothing is of another. */
export type Shapes = WeakMap<Entry, string>

/** Characters that are hashed at once. */
const PIECE = 64 * 1024

/** Finds the state of a site. By then the authors of all its records are found: those in their prints. */
export async function stateOf(
  snapshot: SiteSnapshot,
  summaries: Pick<Summaries, 'authors'>,
  shapes?: Shapes,
): Promise<SiteState> {
  const { entries, folders, outline, types } = snapshot
  const slices = new Slices()
  const sum = createHash('sha256')
  const records: string[] = []
  const authors = new Set<readonly FoundAuthor[]>()
  const kinds = new Set(types.declared())
  let text = ''
  for (const entry of entries.values()) {
    const found = summaries.authors(entry, snapshot)
    authors.add(found instanceof Promise ? await found : found)
    kinds.add(entry.type)
    const isShown = entry.url !== null && snapshot.outline.records.get(entry.url) === entry
    text += `${isShown}${shapes?.get(entry) ?? shapeOf(entry, shapes)}\n`
    records.push(`${entry.version} ${entry.modified}`)
    if (text.length < PIECE) continue
    sum.update(text)
    text = ''
    if (slices.isOver) await slices.pause()
  }
  const { home, declared } = outline
  const others = JSON.stringify([[...authors], [...kinds], [...folders], declared, home.perPage, home.feedLimit], withMaps)
  return { shape: sum.update(text).update(others).digest('base64url'), records }
}

/** Everything of an entry that others may depend on: what is added to entries is among it, unless it is taken out here. */
function shapeOf(entry: Entry, shapes: Shapes | undefined): string {
  const { version: _, modified: _modified, draft: _draft, type, order, ...rest } = entry
  const shape = JSON.stringify([type.name, rest, order?.map((key) => [typeof key, String(key)])])
  shapes?.set(entry, shape)
  return shape
}

function withMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value
}
