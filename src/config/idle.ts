import type { Config } from './schema.ts'
import type { KeyPath, Source } from './source.ts'

/** What is of use only where the records are files in a repository. */
const OF_FILES: readonly KeyPath[] = [
  ['git', 'branch'],
  ['git', 'pull'],
  ['git', 'push'],
]

/** What the file itself sets that has no effect where the records are kept, as warnings with their places. Defaults raise none. */
export function idleWarnings(source: Source, { storage }: Config): string[] {
  if (storage.driver === 'files') return []
  return OF_FILES.filter((path) => ![undefined, null, 'off'].includes(source.get(path) as string)).map((path) => {
    const { line, column } = source.place(path, 'key')
    return `${source.file}:${line}:${column}: ${path.join('.')} has no effect: the records are in a database.`
  })
}
