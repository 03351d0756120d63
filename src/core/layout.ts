import { idToPath, isPrivate, type Key, type Kind, kindFault, likeSegment, parseKey, segmentFault } from './key.ts'

const RECORD = /^(.+)\.(md|markdown|mdx|yaml|yml)$/is

/** A name that can't be an id. */
export interface BadName {
  readonly kind: Kind
  /** The path below the kind's folder. */
  readonly below: string
  /** The id that it would be, in NFC. */
  readonly id: string
  /** Why it is none, as the end of a sentence ("it …"). */
  readonly fault: string
  /** A path like it that can be one, without its extension. */
  readonly like: string
  readonly extension: string
}

/** What a file of a kind's folder is: a record's, one whose name can't be an id, or (undefined) nothing of ours. */
export type Place = { key: Key; extension: string } | BadName | undefined

/** True for what the walk passes by: names that begin with a dot or an underscore. */
export function isHidden(name: string): boolean {
  return name.startsWith('.') || name.startsWith('_')
}

/** True for a name with one of the extensions that records have. */
export function isRecordName(name: string): boolean {
  return RECORD.test(name)
}

/**
 * What the file `path` (below its kind's folder, with `/`) is. Real names may be in any normal form; ids are in NFC.
 * `x/index.md` stands for `x`.
 */
export function placeOf(kind: Kind, path: string): Place {
  const [, stem = '', extension = ''] = RECORD.exec(path) ?? []
  if (extension === '') return undefined
  const segments = stem.normalize('NFC').split('/')
  const fault = segments.map(segmentFault).find((found) => found !== undefined)
  const like = segments.map(likeSegment).join('/')
  if (segments.length > 1 && segments.at(-1) === 'index') segments.pop()
  if (fault) return { kind, below: path, id: segments.join('~'), fault, like, extension }
  const key = parseKey(kind, segments.join('~'))
  return key && { key, extension: extension.toLowerCase() }
}

/** The kind of the files in `folder` (below `content/`, with `/`) and the part of the folder below the kind's own; undefined where no records are kept. */
export function kindOfFolder(folder: string): { kind: Kind; below: string } | undefined {
  const [first = '', second, ...rest] = folder.split('/')
  if (first === '') return { kind: 'pages', below: '' }
  if (first === 'media') return undefined
  if (first !== 'taxonomy') return { kind: first.normalize('NFC'), below: [second, ...rest].filter(Boolean).join('/') }
  return second === undefined ? undefined : { kind: `taxonomy/${second.normalize('NFC')}`, below: rest.join('/') }
}

/** Why a folder of `content/` can't be a kind, as the end of a sentence, or undefined where it can. */
export function folderFault(folder: string): string | undefined {
  const found = kindOfFolder(folder)
  return found && kindFault(found.kind)
}

/** Whether a kind's documents are plain data, which new ones are written as YAML for. */
export function isData(kind: Kind): boolean {
  return isPrivate(kind) || kind === 'menus' || kind.startsWith('taxonomy/')
}

/** Where the document of a key is, or goes, below its kind's folder. `from` is the file it is moved from and the id it had: it keeps its form. */
export function fileName(key: Key, from?: { path: string; id: string }): string {
  const extension = RECORD.exec(from?.path ?? '')?.[2] ?? (isData(key.kind) ? 'yaml' : 'md')
  if (isPrivate(key.kind)) return `${key.id}.${extension}`
  // `x/index.md` stands for `x`, but the `index.md` of a kind's own folder only for itself.
  const isLeaf = from !== undefined && from.id !== 'index' && /\/index\.[^/]+$/.test(from.path)
  return `${idToPath(key.id)}${isLeaf && key.id !== 'index' ? '/index' : ''}.${extension}`
}

/** Every path below the kind's folder at which a file would have this id. */
export function candidates(key: Key): string[] {
  if (isPrivate(key.kind)) return [fileName(key)]
  const path = idToPath(key.id)
  return ['md', 'markdown', 'mdx', 'yaml', 'yml'].flatMap((extension) => [`${path}.${extension}`, `${path}/index.${extension}`])
}
