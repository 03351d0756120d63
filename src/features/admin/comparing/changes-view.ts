import type { Field } from '#core/types/content-type.ts'
import { labelOf } from '#core/types/fields.ts'
import { textParts } from '#frontmatter/merge.ts'
import { type Words, wordDiff } from '#lib/text/word-diff.ts'
import type { Difference } from '../../resource.ts'
import { shownValue } from './shown-value.ts'

/** A part of a difference: words, or what is the same and folded away. */
export type ChangePart = { readonly words: readonly Words[] } | { readonly fold: string; readonly folded: string }

/** A field that differs, as the template `parts/changes` shows it. */
export interface ChangeView {
  readonly label: string
  readonly look: string
  readonly parts: readonly ChangePart[]
}

/** Returns what differs, word by word, and bodies by paragraph; times are told in `zone`. */
export function changesView(differences: readonly Difference[], fields: readonly Field[], zone: string): ChangeView[] {
  return differences.map(({ field: name, before, after }) => {
    const field = fields.find((one) => one.name === name)
    const label = field?.label ?? labelOf(name)
    if (name === 'body') return bodyView(label, String(before ?? ''), String(after ?? ''))
    const [was, is] = [shownValue(name, field, before, zone), shownValue(name, field, after, zone)]
    const look = [was, is].some((one) => one.look === 'raw') ? 'raw' : is.look
    return { label, look, parts: [{ words: wordDiff(was.text, is.text) }] }
  })
}

function bodyView(label: string, before: string, after: string): ChangeView {
  const found = textParts(undefined, after, before)
  const parts = found.flatMap((part): ChangePart[] => {
    if (!('merged' in part)) return [{ words: wordDiff(part.theirs, part.yours) }]
    const count = paragraphsIn(part.merged)
    if (count === 0) return []
    return [{ fold: count === 1 ? 'One paragraph is the same' : `${count} paragraphs are the same`, folded: part.merged.trim() }]
  })
  const changed = found.filter((part) => !('merged' in part)).length
  const all = paragraphsIn(after)
  return { label: all > 1 && changed < all ? `${label} · ${changed} of ${all} paragraphs` : label, look: '', parts }
}

function paragraphsIn(text: string): number {
  return text.split(/\n[ \t]*\r?\n/).filter((one) => one.trim() !== '').length
}
