import { isDeepStrictEqual } from 'node:util'
import { isMap, isSeq, type Document as Tree } from 'yaml'
import { Conflict } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { applied, changesBetween, type PathEdit } from '../changes.ts'
import { Fault } from '../fault.ts'
import { additions, removals, replacements } from './candidates.ts'
import { readFast } from './fast-yaml.ts'
import { sharedAnchors, slotAt } from './find.ts'
import { parseTree, readYaml } from './yaml.ts'

/** Each edit reads all of the text again: over so many edits times characters the value is written whole. */
const MOST_WORK = 128 * 1024

/**
 * Sets a top-level key of YAML text (undefined removes it), touching its lines alone. `data` is what the text holds.
 * Each way of writing it is tried in turn, the author's own style first, and read back: one that says anything else is dropped.
 * Throws Conflict where no way is left.
 */
export function spliceYaml(text: string, data: Readonly<Fields>, key: string, value: Json | undefined, eol: string): string {
  const whole: PathEdit = { path: [key], value }
  const wanted = applied(data, whole)
  const small = itemBetween(data[key], value, key) ?? changesBetween(data[key], value, [key])
  const isMuch = small.length > 1 && small.length * text.length > MOST_WORK
  const made = (isMuch ? undefined : step(text, data, small, eol)) ?? step(text, data, [whole], eol)
  // What was made last is what was read last.
  if (made && isDeepStrictEqual(made.held, wanted)) return made.text
  throw refusal(parseTree(text), key)
}

/** The edit of one item, where it is all that differs between two lists: the remark on its line stays, and its quotes. */
function itemBetween(before: Json | undefined, after: Json | undefined, key: string): PathEdit[] | undefined {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return undefined
  const [first, ...others] = after.flatMap((item, i) =>
    isDeepStrictEqual(before[i], item) ? [] : [{ path: [key, i], value: item }],
  )
  const isPlain = (value: Json | undefined) => value === null || typeof value !== 'object'
  return first && others.length === 0 && isPlain(first.value) && isPlain(before[Number(first.path[1])]) ? [first] : undefined
}

/** A text, and what it holds by reading it. */
interface Made {
  readonly text: string
  readonly held: Fields
}

/** All edits made one after the other, or undefined where one can't be. */
function step(text: string, data: Readonly<Fields>, edits: readonly PathEdit[], eol: string): Made | undefined {
  let now = text
  let held: Fields = { ...data }
  for (const edit of edits) {
    const next = applied(held, edit)
    const made = firstThatHolds(candidates(now, parseTree(now), held, edit, eol), next)
    if (made === undefined) return undefined
    now = made
    held = next
  }
  return { text: now, held }
}

function* candidates(text: string, tree: Tree, data: Readonly<Fields>, edit: PathEdit, eol: string): Generator<string> {
  const slot = slotAt(tree, edit.path)
  if (edit.value === undefined) {
    if (slot) yield* removals(text, slot)
  } else if (slot) {
    yield* replacements(text, tree, slot, data, { ...edit, value: edit.value }, eol)
  } else {
    const holder = edit.path.length === 1 ? tree.contents : slotAt(tree, edit.path.slice(0, -1))?.node
    if (isSeq(holder)) return
    yield* additions(text, isMap(holder) ? holder : undefined, edit.path, edit.value, eol)
  }
}

function firstThatHolds(texts: Iterable<string>, wanted: Fields): string | undefined {
  for (const text of texts) {
    if (isDeepStrictEqual(reread(text), wanted)) return text
  }
  return undefined
}

function reread(text: string): Fields | undefined {
  try {
    return readFast(text) ?? readYaml(text)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

function refusal(tree: Tree, key: string): Conflict {
  const slot = slotAt(tree, [key])
  const anchors = slot ? sharedAnchors(tree, slot) : []
  const hint = 'Change it in the file itself.'
  if (anchors.length === 0)
    return new Conflict(`"${key}" can't be changed safely in the way this file is written.`, undefined, hint)
  return new Conflict(`"${key}" carries the anchor &${anchors[0]}, which other keys of this file use.`, undefined, hint)
}
