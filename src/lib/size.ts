const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
}

/**
 * Bytes of a size: a whole number and `B`, `KiB`, `MiB`, `GiB` or `kB`, `MB`, `GB`; undefined for anything else, a bare number
 * too.
 */
export function parseSize(text: string): number | undefined {
  const match = /^([0-9]{1,12}) ?(B|kB|KiB|MB|MiB|GB|GiB)$/.exec(text)
  if (!match) return undefined
  return Number(match[1]) * (UNITS[match[2] ?? ''] ?? 0)
}
