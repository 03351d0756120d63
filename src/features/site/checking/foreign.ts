import type { Document, Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import type { Entry } from '../outline/entry.ts'
import { foreignComment } from './comments.ts'
import { placesIn } from './lines.ts'

/** A comment in a form that another tool hides and Quire does not. */
export function commentProblems({ key }: Entry, document: Document): Problem[] {
  const at = foreignComment(document.body)
  if (at === undefined) return []
  const place = placesIn(document)(at)
  const message = 'A comment of another tool is shown as text here.'
  return [{ file: keyText(key), ...place, message, hint: 'Write it as <!-- … -->, or take it out.', severity: 'warning' }]
}
