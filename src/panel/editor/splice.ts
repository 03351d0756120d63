import { ChangeSet, type Text } from '@codemirror/state'

/** Returns the one splice that makes one text of another, without what both begin and end with. */
export function spliceBetween(before: Text, text: string): ChangeSet {
  const old = before.toString()
  const most = Math.min(old.length, text.length)
  let start = 0
  while (start < most && old[start] === text[start]) start++
  let tail = 0
  while (tail < most - start && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail++
  if (start + tail === old.length && old.length === text.length) return ChangeSet.empty(old.length)
  return ChangeSet.of([{ from: start, to: old.length - tail, insert: text.slice(start, text.length - tail) }], old.length)
}
