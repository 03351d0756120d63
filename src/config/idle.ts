import type { Config } from './schema.ts'
import type { KeyPath, Source } from './source.ts'

/** Settings that only have an effect if the records are files in a repository. */
const OF_FILES: readonly KeyPath[] = [
  ['git', 'branch'],
  ['git', 'pull'],
  ['git', 'push'],
]

/** Returns warnings, with their places, for settings in the file that have no effect beside others. Defaults raise none. */
export function idleWarnings(source: Source, config: Config): string[] {
  return [...ofFiles(source, config), ...ofMedia(source, config)].map(({ path, why }) => {
    const { line, column } = source.place(path, 'key')
    return `${source.file}:${line}:${column}: ${path.join('.')} has no effect: ${why}.`
  })
}

interface Idle {
  readonly path: KeyPath
  readonly why: string
}

function ofFiles(source: Source, { storage }: Config): Idle[] {
  if (storage.driver === 'files') return []
  const idle = OF_FILES.filter((path) => ![undefined, null, 'off'].includes(source.get(path) as string))
  return idle.map((path) => ({ path, why: 'the records are in a database' }))
}

function ofMedia(source: Source, { media, storage }: Config): Idle[] {
  const isInTable = storage.driver !== 'files'
  const rows: readonly [path: KeyPath, isIdle: boolean, why: string][] = [
    [['media', 's3'], media.store !== 's3', 'media.store is not s3'],
    [['media', 'store'], isInTable && media.store === 'folder', 'the records are in a database, and files of media in its table'],
    [['media', 'store'], !isInTable && media.store === 'table', 'the records are files, and files of media in folders'],
    [['media', 'git_max'], media.store === 's3', 'files of media are in a bucket'],
    [['media', 'git_max'], isInTable && media.store !== 's3', 'files of media are in the table of a database'],
  ]
  return rows.flatMap(([path, isIdle, why]) => (isIdle && source.get(path) !== undefined ? [{ path, why }] : []))
}
