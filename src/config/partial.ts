import { shapeFaults } from './check.ts'
import type { Fault } from './faults.ts'
import type { Config } from './schema.ts'
import type { KeyPath } from './source.ts'
import type { AnySchema } from './words.ts'

/**
 * Returns a configuration without the parts that are not of their shape, so that what the rest means can be checked in the same
 * go; undefined where nothing is left to check.
 */
export function sound(value: unknown, schema: AnySchema, faults: readonly Fault[]): Config | undefined {
  if (faults.some(({ path }) => path.length < 2)) return undefined
  const rest = structuredClone(value)
  const holders = new Map(faults.map(({ path }) => [JSON.stringify(path.slice(0, -1)), path.slice(0, -1)]))
  // Backwards: what is taken out of a list moves what stands behind it.
  for (const path of [...holders.values()].reverse()) remove(rest, path)
  return shapeFaults(rest, schema).length === 0 ? (rest as Config) : undefined
}

/** Those faults of `found` that do not come of what was taken out: of other sections, and of parts beside those with `faults`. */
export function apartFrom(faults: readonly Fault[], found: readonly Fault[]): Fault[] {
  const sections = new Set(faults.map(({ path }) => path[0]))
  // What is declared in a section is named in others.
  const isNamed = ['types', 'taxonomies', 'statuses', 'roles', 'site'].some((name) => sections.has(name))
  return isNamed ? [] : found.filter(({ path }) => !sections.has(path[0]))
}

function remove(value: unknown, path: KeyPath): void {
  const [step, ...rest] = path
  if (step === undefined || typeof value !== 'object' || value === null) return
  const holder = value as Record<string | number, unknown>
  if (rest.length > 0) remove(holder[step], rest)
  else if (Array.isArray(value)) value.splice(Number(step), 1)
  else delete holder[step]
}
