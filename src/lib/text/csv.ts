/** A text that spreadsheets would take for a formula, though it came from anyone. */
const FORMULA = /^[=+\-@\t\r]/

const QUOTED = /[",\r\n]/

/**
 * Returns rows as CSV (RFC 4180), each with CRLF at its end. Numbers stay as they are; a text that begins as a formula does is put
 * after an apostrophe, so that no spreadsheet works it out.
 */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')
}

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
