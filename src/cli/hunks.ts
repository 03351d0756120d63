import type { FieldDifference } from '#features/revisions/differences.ts'
import type { Json } from '#lib/json.ts'
import type { Hunk, HunkLine } from '#lib/text/line-diff.ts'
import type { Output, Style } from './output.ts'

const SIGNS: Readonly<Record<HunkLine['op'], string>> = { keep: ' ', remove: '-', add: '+' }
const STYLES: Readonly<Partial<Record<HunkLine['op'], Style>>> = { remove: 'red', add: 'green' }

/** Differences as people read them: each field with its value before and after, the body as the hunks of a unified diff. */
export function differenceText(fields: readonly FieldDifference[], output: Output): string {
  return fields.flatMap((field) => [output.paint('bold', field.field, 'stdout'), ...linesOf(field, output)]).join('\n')
}

function linesOf({ before, after, hunks }: FieldDifference, output: Output): string[] {
  if (hunks) return hunks.flatMap((hunk) => hunkLines(hunk, output))
  return [...valueLines(before, 'remove', output), ...valueLines(after, 'add', output)]
}

function hunkLines(hunk: Hunk, output: Output): string[] {
  const { before_start, before_count, after_start, after_count } = hunk
  const place = `@@ -${before_start},${before_count} +${after_start},${after_count} @@`
  return [output.paint('cyan', place, 'stdout'), ...hunk.lines.flatMap((line) => lineText(line, output))]
}

function lineText({ op, text, no_newline }: HunkLine, output: Output): string[] {
  const line = `${SIGNS[op]}${text}`
  const style = STYLES[op]
  return [style ? output.paint(style, line, 'stdout') : line, ...(no_newline ? ['\\ No newline at end of file'] : [])]
}

function valueLines(value: Json, op: 'remove' | 'add', output: Output): string[] {
  if (value === null) return []
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.split('\n').flatMap((line) => lineText({ op, text: line }, output))
}
