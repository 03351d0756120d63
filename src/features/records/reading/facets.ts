import { compareText } from '#lib/text/compare.ts'
import type { Source } from './sources.ts'

/** By field how many records of a list have each value, the most frequent first. */
export type Facets = ReadonlyMap<string, ReadonlyMap<string, number>>

/** The most values of a field that are listed. */
const MOST_VALUES = 100

/** Resolves with the facets of a whole list, by some fields. */
export async function facetsOf(source: Source, fields: readonly string[]): Promise<Facets> {
  return new Map(await Promise.all(fields.map(async (field) => [field, frequent(await source.count(field))] as const)))
}

/** As JSON. An object would bring values that look like numbers to its front. */
export function facetsText(facets: Facets): string {
  return objectText(facets, (counts) => objectText(counts, String))
}

function frequent(counts: ReadonlyMap<string, number>): Map<string, number> {
  const sorted = [...counts].sort(([one, few], [other, many]) => many - few || compareText(one, other))
  return new Map(sorted.slice(0, MOST_VALUES))
}

function objectText<T>(entries: ReadonlyMap<string, T>, textOf: (value: T) => string): string {
  return `{${[...entries].map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`).join()}}`
}
