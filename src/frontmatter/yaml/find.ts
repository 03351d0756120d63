import {
  type CST,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Document as Tree,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Path } from '../json/json.ts'

/** The place of a value in YAML text: after its colon or dash (undefined for an item of `[…]`). */
export interface Slot {
  /** The collection that holds it, and its place there. */
  parent: YAMLMap | YAMLSeq
  index: number
  node: Node | null
  /** After the `:` or `-`. */
  markEnd: number | undefined
  /** The start of the entry: its key, or the item itself. */
  start: number
  /** The start of the tag and anchor, or of the value. */
  valueStart: number
  /** After the last character of the value, remark excluded. */
  valueEnd: number
}

/** The slot at a path; undefined where the text has none there, or it is reached through an alias. */
export function slotAt(tree: Tree, path: Path): Slot | undefined {
  let holder: unknown = tree.contents
  let slot: Slot | undefined
  for (const step of path) {
    const index = isMap(holder) ? indexOf(holder, String(step)) : isSeq(holder) ? Number(step) : -1
    if (!isCollection(holder) || index < 0) return undefined
    slot = slotOf(holder as YAMLMap | YAMLSeq, index)
    if (!slot) return undefined
    holder = slot.node
  }
  return slot
}

function indexOf(map: YAMLMap, key: string): number {
  return map.items.findIndex((pair) => isScalar(pair.key) && String(pair.key.value) === key)
}

/** The slot of a collection's entry by its index. */
export function slotOf(parent: YAMLMap | YAMLSeq, index: number): Slot | undefined {
  return isMap(parent) ? pairSlot(parent, index) : itemSlot(parent as YAMLSeq, index)
}

function pairSlot(parent: YAMLMap, index: number): Slot | undefined {
  const pair = parent.items[index] as Pair<Node, Node | null> | undefined
  const start = pair?.key?.range?.[0]
  const mark = pair?.srcToken?.sep?.find((token) => token.type === 'map-value-ind')
  if (!pair || start === undefined || !mark) return undefined
  return { parent, index, node: pair.value, start, ...extent(pair.value, mark.offset + 1, pair.srcToken?.sep) }
}

function itemSlot(parent: YAMLSeq, index: number): Slot | undefined {
  const node = parent.items[index] as Node | undefined
  const token = parent.srcToken as CST.BlockSequence | CST.FlowCollection | undefined
  const source = token?.items[index]
  if (!node || !source) return undefined
  const mark = source.start.find(({ type }) => type === 'seq-item-ind')
  const place = extent(node, mark ? mark.offset + 1 : undefined, source.start)
  return { parent, index, node, start: mark?.offset ?? place.valueStart, ...place }
}

function extent(node: Node | null, markEnd: number | undefined, tokens: CST.SourceToken[] | undefined) {
  const [from = 0, to = 0] = node?.range ?? []
  const props = tokens?.filter(({ type, offset }) => (type === 'anchor' || type === 'tag') && offset >= (markEnd ?? 0)) ?? []
  const last = props.at(-1)
  const isEmpty = node === null || (from === to && isScalar(node))
  const empty = last ? last.offset + last.source.length : (markEnd ?? from)
  return {
    markEnd,
    valueStart: props[0]?.offset ?? (isEmpty ? empty : from),
    valueEnd: isEmpty ? empty : endOf(node, to),
  }
}

/** After the last character of a value: a block collection ends with its last entry, whatever remarks and blank lines follow. */
function endOf(node: Node, to: number): number {
  if (!isCollection(node) || node.flow || node.items.length === 0) return to
  const last = slotOf(node as YAMLMap | YAMLSeq, node.items.length - 1)
  return last ? Math.max(last.valueEnd, last.start) : to
}

/** True for a block scalar (`|`, `>`). */
export function isBlockText(node: Node | null): boolean {
  return isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED')
}

/** The anchors in the value at a slot that other parts of the text refer to. */
export function sharedAnchors(tree: Tree, slot: Slot): string[] {
  const inside = new Set<string>()
  const used = new Set<string>()
  const within = (node: Node) => (node.range?.[0] ?? 0) >= slot.valueStart && (node.range?.[0] ?? 0) <= slot.valueEnd
  visit(tree, {
    Node(_, node) {
      if (isAlias(node)) {
        if (!within(node)) used.add(node.source)
      } else if (node.anchor && within(node)) inside.add(node.anchor)
    },
  })
  return [...inside].filter((anchor) => used.has(anchor))
}
