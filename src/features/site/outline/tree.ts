import { labelOf } from '#core/types/fields.ts'
import { compareText } from '#lib/text/compare.ts'
import type { Entry } from './entry.ts'
import { asSorted, compareOrders, keysOf } from './order.ts'
import type { Outline } from './outline.ts'

/** A record, or a folder without a page, with what is below it in the order of its type. */
export interface TreeNode {
  readonly title: string
  /** On the site, without its prefix; null for a folder without a page. */
  readonly url: string | null
  readonly children: readonly TreeNode[]
}

/** The records of a type as their folders nest. */
export interface Tree {
  readonly nodes: readonly TreeNode[]
  /** The records as the tree is read from its top: each before those below it. */
  readonly reading: readonly Entry[]
  /** The nodes on the way to that of an address, from the top, itself the last. */
  way(url: string): readonly TreeNode[]
}

interface Made extends TreeNode {
  /** The part of the id that it stands for. */
  readonly id: string
  readonly entry: Entry | undefined
  readonly parent: Made | undefined
  readonly children: Made[]
}

/** Levels of a tree: what is deeper is in the last one. */
const DEEPEST = 8

/** Makes the tree of the records of a type that are in lists, with the pages of its sections. Takes linear time, but for sorting. */
export function treeOf(type: string, outline: Outline): Tree {
  const listed = outline.types.get(type) ?? []
  const sections = [...outline.sections.values()].flatMap(({ index }) =>
    index?.type.name === type && index.isSection && !index.unlisted ? [index] : [],
  )
  const entries = [...listed, ...sections]
  const made = new Nodes(entries)
  const nodes = made.sorted()
  const [first] = entries
  const head = first && [...outline.lists.values()].find(({ index }) => index?.type === first.type)?.index
  const reading = head && !head.unlisted ? [head] : []
  const read = (all: readonly Made[]) => {
    for (const { entry, children } of all) {
      if (entry) reading.push(entry)
      read(children)
    }
  }
  read(nodes)
  return { nodes, reading, way: (url) => made.way(url) }
}

class Nodes {
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #nodes = new Map<string, Made>()
  readonly #byUrl = new Map<string, Made>()
  readonly #top: Made[] = []

  constructor(entries: readonly Entry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.key.id, entry]))
    for (const id of this.#entries.keys()) this.#node(id)
  }

  /** The nodes of the first level, each level in the order of the type. */
  sorted(): Made[] {
    for (const { children } of this.#nodes.values()) children.sort(inOrder)
    return this.#top.sort(inOrder)
  }

  way(url: string): TreeNode[] {
    const way: TreeNode[] = []
    for (let node = this.#byUrl.get(url); node; node = node.parent) way.unshift(node)
    return way
  }

  #node(id: string): Made {
    const known = this.#nodes.get(id)
    if (known) return known
    const parent = parentOf(id)
    const above = parent === undefined ? undefined : this.#node(parent)
    const entry = this.#entries.get(id)
    const url = entry?.url ?? null
    const title = entry?.title ?? labelOf(id.slice(id.lastIndexOf('~') + 1))
    const node: Made = { title, url, id, entry, parent: above, children: [] }
    this.#nodes.set(id, node)
    if (url !== null) this.#byUrl.set(url, node)
    const siblings = above?.children ?? this.#top
    siblings.push(node)
    return node
  }
}

/** The id of the folder that a record or a folder is shown in; undefined for the first level. */
function parentOf(id: string): string | undefined {
  const parts = id.split('~', DEEPEST)
  parts.pop()
  return parts.length === 0 ? undefined : parts.join('~')
}

/** Folders without a page have nothing that says where they stand: they come last. */
function inOrder(a: Made, b: Made): number {
  if (a.entry && b.entry) return asSorted(a.entry, b.entry)
  const { type } = a.entry ?? b.entry ?? {}
  const order = type ? compareOrders(type, a.entry ? keysOf(a.entry) : [], b.entry ? keysOf(b.entry) : []) : 0
  return order || compareText(a.id, b.id)
}
