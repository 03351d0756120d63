import type { Config } from './schema.ts'
import type { KeyPath, Source } from './source.ts'

/** Settings that only have an effect if the records are files in a repository. */
const OF_FILES: readonly KeyPath[] = [
  ['git', 'branch'],
  ['git', 'pull'],
  ['git', 'push'],
]

/** Returns warnings, with their places, for settings in the file that have no effect with this storage. Defaults raise none. */
export function idleWarnings(source: Source, { storage }: Config): string[] {
  if (storage.driver === 'files') return []
  return OF_FILES.filter((path) => ![undefined, null, 'off'].includes(source.get(path) as string)).map((path) => {
    const { line, column } = source.place(path, 'key')
    return `${source.file}:${line}:${column}: ${path.join('.')} has no effect: the records are in a database.`
  })
}
