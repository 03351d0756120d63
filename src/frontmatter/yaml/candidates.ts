import {
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Document as Tree,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Fields, Json } from '#lib/json.ts'
import { trimEnd } from '#lib/text/trim-end.ts'
import { valueAt } from '../changes.ts'
import type { Path } from '../json/json.ts'
import { columnOf, ended, lineEnd, lineStart, valueLineEnd } from '../lines.ts'
import { isBlockText, type Slot, slotOf } from './find.ts'
import { blockList, flowList } from './lists.ts'
import { blockText, flowText, keyText, type Look, literalText, NEW_LOOK, type Quote, type Rendered } from './text.ts'

/** Ways to take an entry out, best first. */
export function* removals(text: string, slot: Slot): Generator<string> {
  const { parent, index } = slot
  const next = slotOf(parent, index + 1)
  const previous = slotOf(parent, index - 1)
  const end = Math.max(slot.valueEnd, slot.start)
  if (!parent.flow && isBlank(text.slice(lineStart(text, slot.start), slot.start))) {
    yield text.slice(0, lineStart(text, slot.start)) + text.slice(valueLineEnd(text, end))
  }
  if (next) yield text.slice(0, slot.start) + text.slice(next.start)
  if (parent.flow && previous) yield text.slice(0, Math.max(previous.valueEnd, previous.start)) + text.slice(end)
  if (parent.flow) yield text.slice(0, slot.start) + text.slice(end)
}

/** Ways to add a key to a mapping (undefined: the text has none yet), best first. */
export function* additions(text: string, map: YAMLMap | undefined, path: Path, value: Json, eol: string): Generator<string> {
  const key = String(path.at(-1))
  if (map?.flow) {
    yield* flowAdditions(text, map, key, value)
    return
  }
  const last = map && slotOf(map, map.items.length - 1)
  const first = map && slotOf(map, 0)
  const column = first ? columnOf(text, first.start) : 0
  const look = lookOf(text, map)
  const rendered = blockText(value, column, look)
  const gap = rendered.inline === '' ? '' : ' '
  const lines = [`${' '.repeat(column)}${keyText(key)}:${gap}${rendered.inline}`, ...rendered.lines]
  const entry = lines.map((line) => line + eol).join('')
  if (path.length === 1) yield ended(text, eol) + entry
  if (last) {
    const at = valueLineEnd(text, Math.max(last.valueEnd, last.start))
    yield ended(text.slice(0, at), eol) + entry + text.slice(at)
    yield text.slice(0, lineStart(text, last.start)) + entry + text.slice(lineStart(text, last.start))
  }
}

function* flowAdditions(text: string, map: YAMLMap, key: string, value: Json): Generator<string> {
  const last = slotOf(map, map.items.length - 1)
  const pair = `${keyText(key)}: ${flowText(value, 'plain')}`
  if (!last) {
    const open = map.range?.[0] ?? 0
    yield `${text.slice(0, open)}{ ${pair} }${text.slice(map.range?.[1] ?? open)}`
    return
  }
  const end = Math.max(last.valueEnd, last.start)
  yield `${text.slice(0, end)}, ${pair}${text.slice(end)}`
}

/** Ways to write another value in a slot, the author's own style first. */
export function* replacements(
  text: string,
  tree: Tree,
  slot: Slot,
  data: Readonly<Fields>,
  edit: { path: Path; value: Json },
  eol: string,
): Generator<string> {
  const { value } = edit
  const inFlow = slot.parent.flow === true || slot.markEnd === undefined
  const indent = columnOf(text, slot.start)
  const look = { ...lookOf(text, isMap(tree.contents) ? tree.contents : undefined), quote: quoteOf(slot.node) }
  if (Array.isArray(value) && isSeq(slot.node) && value.length > 0) {
    const before = valueAt(data, edit.path)
    const old = { text, seq: slot.node as YAMLSeq, values: Array.isArray(before) ? before : [] }
    if (slot.node.flow) yield placed(text, slot, { inline: flowList(old, value, look), lines: [] }, eol)
    else if (!inFlow) yield placed(text, slot, { inline: '', lines: blockList(old, value, look) }, eol)
  }
  if (inFlow || (isCollection(slot.node) && slot.node.flow))
    yield placed(text, slot, { inline: flowText(value, look.quote), lines: [] }, eol)
  if (inFlow) return
  if (typeof value === 'string' && isBlockText(slot.node)) yield* blockTexts(text, slot, value, indent, look, eol)
  if (look.quote !== 'double') yield placed(text, slot, blockText(value, indent, look), eol)
  yield placed(text, slot, { inline: flowText(value, look.quote), lines: [] }, eol)
  yield placed(text, slot, { inline: flowText(value, 'double'), lines: [] }, eol)
}

function* blockTexts(text: string, slot: Slot, value: string, indent: number, look: Look, eol: string): Generator<string> {
  const at = slot.node?.range?.[0] ?? 0
  const style = text.charAt(at) === '>' ? '>' : '|'
  const line = /^ *(?=[^\s])/m.exec(text.slice(lineEnd(text, at), slot.valueEnd))?.[0].length ?? 0
  for (const form of [style, '|'] as const) {
    for (const column of [line, indent + look.step]) {
      const rendered = literalText(value, column, indent, form)
      if (rendered) yield placed(text, slot, rendered, eol)
    }
  }
}

/** The text with what stands in the slot replaced; a remark on the key's line stays. */
function placed(text: string, slot: Slot, rendered: Rendered, eol: string): string {
  const { node, markEnd, valueStart, valueEnd } = slot
  const isBelow = isCollection(node) && !node.flow && markEnd !== undefined && lineEnd(text, markEnd) <= (node.range?.[0] ?? 0)
  const isEmpty = valueStart === valueEnd
  let from = valueStart
  let to = valueEnd
  let linesFrom = valueLineEnd(text, valueEnd)
  let linesTo = linesFrom
  if (isBelow || isBlockText(node)) {
    const start = node?.range?.[0] ?? 0
    if (isBelow) from = to = markEnd
    else to = start + (/^[|>][-+0-9]*/.exec(text.slice(start, start + 4))?.[0].length ?? 1)
    linesFrom = isBelow ? lineStart(text, start) : lineEnd(text, start)
    linesTo = Math.max(linesFrom, isBelow ? valueLineEnd(text, valueEnd) : blockEnd(text, slot))
  }
  if (markEnd !== undefined && (rendered.inline === '' || isEmpty)) from = markEnd
  const gap = from === markEnd && rendered.inline !== '' ? ' ' : ''
  const head = text.slice(0, from) + gap + rendered.inline + text.slice(to, linesFrom)
  const lines = rendered.lines.map((line) => line + eol).join('')
  return (lines === '' ? head : ended(head, eol)) + lines + text.slice(linesTo)
}

/** After the last line of a block scalar; the blank lines behind it belong to it only where `+` keeps them. */
function blockEnd(text: string, slot: Slot): number {
  const start = slot.node?.range?.[0] ?? 0
  if (/^[|>]\d?\+/.test(text.slice(start, start + 3))) return slot.valueEnd
  const content = trimEnd(text.slice(start, slot.valueEnd), ' \t\r\n')
  return lineEnd(text, start + content.length)
}

function quoteOf(node: Node | null): Quote {
  let quote: Quote | undefined
  if (node) {
    visit(node, (_, inner) => {
      if (isPair(inner) && isScalar(inner.value)) quote ??= quoteName(inner.value.type)
      else if (isScalar(inner) && node !== inner && isMap(node)) return undefined
      else if (isScalar(inner)) quote ??= quoteName(inner.type)
      return quote ? visit.BREAK : undefined
    })
  }
  return quote ?? 'plain'
}

function quoteName(type: unknown): Quote {
  return type === 'QUOTE_SINGLE' ? 'single' : type === 'QUOTE_DOUBLE' ? 'double' : 'plain'
}

/** Returns the indentation and list style of this file, taken from its block collections. */
function lookOf(text: string, map: YAMLMap | undefined): Look {
  const look: Look = { ...NEW_LOOK }
  for (let i = 0; map && !map.flow && i < map.items.length; i++) {
    const slot = slotOf(map, i)
    if (!slot || !isCollection(slot.node) || slot.node.flow) continue
    const inner = columnOf(text, slot.node.range?.[0] ?? 0) - columnOf(text, slot.start)
    if (isSeq(slot.node)) look.dash = Math.max(inner, 0)
    else look.step = Math.max(inner, 1)
  }
  return look
}

function isBlank(text: string): boolean {
  return /^[ \t]*$/.test(text)
}
