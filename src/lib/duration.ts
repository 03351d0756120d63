const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a length of time: one or more of `90d`, `12h`, `10m`, `30s`, `250ms`, joined or with spaces (`1h 30m`); undefined for anything else, a bare number too. */
export function parseDuration(text: string): number | undefined {
  if (!/^[0-9]{1,9}(?:ms|s|m|h|d)(?: ?[0-9]{1,9}(?:ms|s|m|h|d))*$/.test(text)) return undefined
  let sum = 0
  for (const [, count, unit] of text.matchAll(/([0-9]+)(ms|s|m|h|d)/g)) sum += Number(count) * (UNITS[unit ?? ''] ?? 0)
  return sum
}
