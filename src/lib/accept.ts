/** Returns whether an `Accept` header (RFC 9110 §12.5.1) allows JSON; a missing one allows everything. */
export function acceptsJson(header: string | undefined): boolean {
  if (header === undefined || header === '' || header === '*/*' || header === 'application/json') return true
  return weightOf(header, 'application/json') > 0
}

/** Returns whether an `Accept` header asks for CSV: it names that, and JSON with no more weight. */
export function prefersCsv(header: string | undefined): boolean {
  if (header === undefined || !/\btext\/csv\b/i.test(header)) return false
  const weight = weightOf(header, 'text/csv')
  return weight > 0 && weight >= weightOf(header, 'application/json')
}

/** Returns the weight that an `Accept` header gives a type, from 0 to 1. */
function weightOf(header: string, wanted: string): number {
  const ranges = ['*/*', wanted.replace(/\/.*$/, '/*'), wanted]
  let best = -1
  let weight = 0
  for (const range of header.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const rank = ranges.indexOf(type)
    // The most exact range decides, whatever comes first.
    if (rank < 0 || rank < best) continue
    best = rank
    weight = qualityOf(parameters)
  }
  return weight
}

function qualityOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  return q === undefined ? 1 : Number(q.slice(2)) || 0
}
