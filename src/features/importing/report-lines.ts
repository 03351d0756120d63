import { counted } from '#lib/text/counted.ts'
import type { ImportProblem } from './item.ts'
import type { Counts, ImportReport, LeftOut } from './report.ts'

/** Most things of one sort that are named to a person. */
const MOST = 20
const MOST_NAMES = 12

/** The lines in which a person is told of an import. */
export function importLines(report: ImportReport): string[] {
  const { records, documents, media, drafts, redirects, kept, left_out, notes, problems, dry_run } = report
  const rows = [...Object.entries(records), ...Object.entries(documents), ['media', media] as const]
  const counted = rows.map(([name, counts]) => [name, countsLine(counts, dry_run)] as const).filter(([, line]) => line !== '')
  return [
    dry_run ? 'Nothing is written: this is what an import would do.' : `Imported from ${report.source}.`,
    ...counted.map(([name, line]) => `  ${name}: ${line}`),
    ...(counted.length === 0 ? ['  There is nothing to import.'] : []),
    ...(drafts > 0 ? [`  drafts among them: ${drafts}`] : []),
    ...(redirects > 0 ? [`  redirects from old addresses: ${redirects}`] : []),
    ...section('Kept as they are here, for they were changed, moved or removed since:', kept),
    ...section('Not taken over, or not as it was:', left_out.map(leftLine)),
    ...section('Note:', notes),
    ...section('Problems:', problems.map(problemLine)),
  ]
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const more = lines.length > MOST ? [`  and ${counted(lines.length - MOST, 'more', 'more')}; --json names them`] : []
  // A name of a file may have ends of lines in it.
  return ['', title, ...lines.slice(0, MOST).map((line) => `  ${line.replaceAll('\n', '\\n')}`), ...more]
}

function countsLine({ created, updated, same, kept }: Counts, dryRun: boolean): string {
  const parts = [
    [created, dryRun ? 'to come' : 'new'],
    [updated, dryRun ? 'to be updated' : 'updated'],
    [same, 'here already'],
    [kept, 'kept'],
  ] as const
  return parts.flatMap(([n, word]) => (n > 0 ? [`${n.toLocaleString('en')} ${word}`] : [])).join(', ')
}

function problemLine({ file, line, column, message, hint }: ImportProblem): string {
  const place = [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':')
  return `${place}: ${message}${hint === undefined ? '' : ` ${hint}`}`
}

function leftLine({ reason, count, first, names }: LeftOut): string {
  const more = names.length > MOST_NAMES ? ', …' : ''
  const named = names.length > 0 ? `: ${names.slice(0, MOST_NAMES).join(', ')}${more}` : ''
  return `${reason}${named}: ${count} (${first[0]}${count > 1 ? ', …' : ''})`
}
