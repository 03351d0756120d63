const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Milliseconds of a length of time: a whole number and `s`, `m`, `h` or `d` (`90d`); undefined for anything else, a bare number
 * too.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^([0-9]{1,9})([smhd])$/.exec(text)
  return match ? Number(match[1]) * (UNITS[match[2] ?? ''] ?? 0) : undefined
}
