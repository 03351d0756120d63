import type { AuditEntry } from '#core/audit-log.ts'

/** The columns, with what is in them of an entry. */
const COLUMNS: Readonly<Record<string, (entry: AuditEntry) => string | number | null | undefined>> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  actor_kind: ({ actor }) => actor.kind,
  actor_id: ({ actor }) => actor.id,
  actor_name: ({ actor }) => actor.name,
  via: ({ via }) => via,
  action: ({ action }) => action,
  target_kind: ({ target }) => target?.kind,
  target_type: ({ target }) => target?.type,
  target_id: ({ target }) => target?.id,
  target_title: ({ target }) => target?.title,
  outcome: ({ outcome }) => outcome,
  changed: ({ changed }) => changed?.join(' '),
  request_id: ({ request_id }) => request_id,
  ip: ({ ip }) => ip,
  count: ({ count }) => count ?? 1,
}

/** The forms of an export. */
export const FORMS = {
  csv: { type: 'text/csv; charset=utf-8; header=present', ending: 'csv', textOf: csvOf },
  ndjson: { type: 'application/x-ndjson', ending: 'ndjson', textOf: ndjsonOf },
} as const

export type Form = (typeof FORMS)[keyof typeof FORMS]

/** Number of lines that are sent at once. */
const AT_ONCE = 100

/** Returns entries as CSV (RFC 4180) with a first line of names. */
export async function* csvOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  yield lineOf(Object.keys(COLUMNS))
  yield* joined(entries, (entry) => lineOf(Object.values(COLUMNS).map((of) => of(entry))))
}

/** Returns entries as lines of JSON. */
export function ndjsonOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  return joined(entries, (entry) => `${JSON.stringify(entry)}\n`)
}

async function* joined(entries: AsyncIterable<AuditEntry>, textOf: (entry: AuditEntry) => string): AsyncGenerator<string> {
  let lines: string[] = []
  for await (const entry of entries) {
    if (lines.push(textOf(entry)) < AT_ONCE) continue
    yield lines.join('')
    lines = []
  }
  if (lines.length > 0) yield lines.join('')
}

function lineOf(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

/** Returns a cell: one that a spreadsheet would take for a formula begins with an apostrophe. */
function cellOf(value: string | number | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value)
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
