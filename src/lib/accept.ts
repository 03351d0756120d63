/** Returns whether an `Accept` header (RFC 9110 §12.5.1) allows JSON; a missing one allows everything. */
export function acceptsJson(header: string | undefined): boolean {
  if (header === undefined || header === '' || header === '*/*' || header === 'application/json') return true
  let best = -1
  let weight = 0
  for (const range of header.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const rank = ['*/*', 'application/*', 'application/json'].indexOf(type)
    // The most exact range decides, whatever comes first.
    if (rank < 0 || rank < best) continue
    best = rank
    weight = qualityOf(parameters)
  }
  return weight > 0
}

function qualityOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  return q === undefined ? 1 : Number(q.slice(2)) || 0
}
