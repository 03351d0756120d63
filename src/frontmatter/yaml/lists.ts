import { isDeepStrictEqual } from 'node:util'
import type { YAMLSeq } from 'yaml'
import type { Json } from '#lib/json.ts'
import { columnOf, lineStart, valueLineEnd } from '../lines.ts'
import { slotOf } from './find.ts'
import { flowText, itemLines, type Look } from './text.ts'

/** A list as it stands in a text, with what its items are. */
interface OldList {
  text: string
  seq: YAMLSeq
  values: Json[]
}

/** The lines of a `- item` list: an item that stays keeps its lines with their remarks, a new one is written as its neighbours are. */
export function blockList(old: OldList, values: Json[], look: Look): string[] {
  const chunks = blockChunks(old)
  const column = columnOf(old.text, old.seq.range?.[0] ?? 0)
  const taken = new Set<number>()
  return values.flatMap((value) => {
    const i = stay(old.values, value, taken)
    return (i >= 0 ? chunks[i] : undefined) ?? itemLines(value, column, { ...look, dash: 2 })
  })
}

/** Each item's lines, with the remark lines before it. */
function blockChunks({ text, seq }: OldList): string[][] {
  let from = lineStart(text, seq.range?.[0] ?? 0)
  return seq.items.map((_, i) => {
    const slot = slotOf(seq, i)
    if (!slot) return []
    const end = valueLineEnd(text, Math.max(slot.valueEnd, slot.start))
    const chunk = text.slice(from, end).replace(/\r?\n$/, '')
    from = end
    return chunk.split(/\r?\n/)
  })
}

/** A `[…]` list: items that stay keep their spelling, and the spaces and line ends between items are the author's. */
export function flowList(old: OldList, values: Json[], look: Look): string {
  const { text, seq } = old
  const slots = seq.items.map((_, i) => slotOf(seq, i))
  const [open = 0, close = 0] = seq.range ?? []
  const first = slots[0]
  const last = slots.at(-1)
  if (!first || !last) return flowText(values, look.quote)
  const lead = text.slice(open + 1, first.valueStart)
  const trail = text.slice(last.valueEnd, close - 1)
  const between = slots[1] ? text.slice(first.valueEnd, slots[1].valueStart) : ', '
  const gap = between.includes('#') || (lead.includes('\n') && !slots[1]) ? `,${lead.includes('\n') ? lead : ' '}` : between
  const taken = new Set<number>()
  const items = values.map((value) => {
    const slot = slots[stay(old.values, value, taken)]
    return slot ? text.slice(slot.valueStart, slot.valueEnd) : flowText(value, look.quote)
  })
  return `[${lead}${items.join(gap)}${trail}]`
}

/** The place of an old item equal to `value` that is not spoken for, or -1. */
function stay(old: readonly Json[], value: Json, taken: Set<number>): number {
  const i = old.findIndex((item, place) => !taken.has(place) && isDeepStrictEqual(item, value))
  if (i >= 0) taken.add(i)
  return i
}
