import { isSeq, type YAMLSeq } from 'yaml'
import { lineStart, valueLineEnd } from '../lines.ts'
import { slotOf } from './find.ts'

/** A part of a text. */
export interface Extent {
  readonly start: number
  readonly end: number
}

/** The text of lists does not have the form that entries are moved in. */
export class OtherForm extends Error {}

/** Returns whether a node is a list of lines with dashes, with anything in it. */
export function isBlock(node: unknown): node is YAMLSeq {
  return isSeq(node) && !node.flow && node.items.length > 0 && !node.anchor && !node.tag
}

/** The place of the first dash of a list. */
export function startOf(seq: YAMLSeq): number {
  return seq.range?.[0] ?? 0
}

/** The end of the last line of a list. */
export function endOf(text: string, seq: YAMLSeq): number {
  return extentOf(text, seq, seq.items.length - 1).end
}

/** The lines of an entry, with the remarks before it. Throws OtherForm. */
export function extentOf(text: string, seq: YAMLSeq, index: number): Extent {
  const end = (n: number): number => {
    const slot = slotOf(seq, n)
    if (!slot) throw new OtherForm()
    return valueLineEnd(text, Math.max(slot.valueEnd, slot.start))
  }
  return { start: index === 0 ? lineStart(text, startOf(seq)) : end(index - 1), end: end(index) }
}

/** Lines further in, or further out. */
export function shifted(lines: string, by: number): string {
  if (by > 0) return lines.replace(/^(?=[^\r\n])/gm, ' '.repeat(by))
  return lines.replace(new RegExp(`^ {0,${-by}}`, 'gm'), '')
}

/** The remarks in the lines before the first dash of a list, each on a line of its own; `pad` stands before that of the key's line. */
export function remarksOf(lines: string, pad: string, eol: string): string {
  const [first = '', ...others] = lines.split(/\r?\n/)
  const remark = /:[ \t]+(#.*)$/.exec(first)?.[1]
  const kept = [...(remark === undefined ? [] : [pad + remark]), ...others.filter((line) => line.trim().startsWith('#'))]
  return kept.map((line) => line + eol).join('')
}
