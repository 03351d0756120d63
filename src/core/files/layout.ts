import { InvalidInput } from '#lib/errors.ts'
import { composed } from '#lib/text/normal-form.ts'
import {
  endingFault,
  idToPath,
  isPrivate,
  type Key,
  type Kind,
  keyOf,
  kindFault,
  likeSegment,
  MEDIA,
  parseKey,
  SYSTEM_FOLDERS,
  segmentFault,
} from '../key.ts'
import type { FileForm } from './file-form.ts'

/** Endings of the names of records' files, in lower case. */
export const RECORD_ENDINGS: readonly string[] = ['md', 'markdown', 'mdx', 'yaml', 'yml']

const RECORD = new RegExp(`^(.+)\\.(${RECORD_ENDINGS.join('|')})$`, 'is')

/** The meaning of another tool's folder for the files in it. */
export interface FolderWords {
  /** Its files are drafts, whatever they say themselves. */
  readonly isDraft: boolean
  /** Names of categories. */
  readonly categories: readonly string[]
  /** The folder itself, below the content folder: `x/_posts`. */
  readonly root: string
}

/** A folder of a kind's files. */
export interface KindFolder {
  readonly kind: Kind
  /** The part of it below the kind's own, or below `_posts` or `_drafts`. */
  readonly below: string
  /** Only in `_posts` and `_drafts`. */
  readonly words?: FolderWords
}

/** A name that can't be an id. */
export interface BadName {
  readonly folder: KindFolder
  /** The path below the kind's folder. */
  readonly below: string
  /** The id that it would be, in NFC. */
  readonly id: string
  /** The reason why it is not an id, as the end of a sentence ("it …"). */
  readonly fault: string
  /** A path like it that can be one, without its extension. */
  readonly like: string
  readonly extension: string
}

/** The meaning of a file in a kind's folder: a record, a file whose name can't be an id, or (undefined) not a record file. */
export type Place = { key: Key; extension: string } | BadName | undefined

/** The files directly in the content folder that hold several groups of settings. */
export const GROUPS_FILES: readonly string[] = ['settings.yaml', 'settings.yml']

/** The key of that file's document: of the kind of settings, beside those of single groups. */
export const GROUPS_KEY: Key = keyOf('settings', 'settings')

const SETTINGS = /^settings\.ya?ml$/i
const OTHER_TOOLS = /^(?:_posts|_drafts)$/
const SECTION = /^_index\.(?:md|markdown|mdx)$/i
const INDEX = /^index\.[^.]+$/
const DATED = /^((\d{4})-(\d{1,2})-(\d{1,2}))-(?=.)/

/**
 * True for names that no record and no folder of records has: they begin with a dot, or with an underscore and are not
 * `_index.md`, `_posts` or `_drafts`.
 */
export function isHidden(name: string): boolean {
  return isPrivateHidden(name) && !OTHER_TOOLS.test(name) && !SECTION.test(name)
}

/** As `isHidden`, of what is private: nothing of other tools is there. */
export function isPrivateHidden(name: string): boolean {
  return name.startsWith('.') || name.startsWith('_')
}

/** True for a name with one of the extensions that records have. */
export function isRecordName(name: string): boolean {
  return RECORD.test(name)
}

/**
 * Returns the meaning of the file at `path` (below its kind's folder, with `/`). File names may be in any Unicode normal form;
 * ids are in NFC. `x/index.md` and `x/_index.md` both mean `x`. A date before a name in `_posts` or `_drafts` is not part of the
 * id. Of media only the sidecars are documents: `x.jpg.yaml`, which means `x.jpg`.
 */
export function placeOf(folder: KindFolder, path: string): Place {
  const { kind, words } = folder
  const [, stem = '', extension = ''] = RECORD.exec(path) ?? []
  if (extension === '' || (kind === MEDIA && !isSidecar(stem, extension))) return undefined
  const segments = composed(stem).split('/')
  const name = segments.at(-1) ?? ''
  const isSection = name === '_index' && SECTION.test(`_index.${extension}`)
  if (isSection && (isData(kind) || words)) return undefined
  if (isSection) segments.splice(-1, 1, 'index')
  const fault = segments.map(segmentFault).find((found) => found !== undefined)
  const like = fault ? segments.map(likeSegment).join('/') : ''
  if (segments.length > 1 && segments.at(-1) === 'index') segments.pop()
  else if (words) segments.splice(-1, 1, undated(name))
  if (fault) return { folder, below: path, id: segments.join('~'), fault, like, extension }
  const key = parseKey(kind, segments.join('~'))
  return key && { key, extension: extension.toLowerCase() }
}

/**
 * The kind of the files in `folder` (below `content/`, with `/`) and the part of the folder below the kind's own; undefined where
 * no records are kept.
 */
export function kindOfFolder(folder: string): KindFolder | undefined {
  const segments = folder.split('/')
  const [first = '', second, ...rest] = segments
  if (first === '') return { kind: 'pages', below: '' }
  if (folder.includes('_') && segments.some((name) => OTHER_TOOLS.test(name))) return folderOfOthers(segments)
  if (first !== 'taxonomy') return { kind: composed(first), below: [second, ...rest].filter(Boolean).join('/') }
  return second === undefined ? undefined : { kind: `taxonomy/${composed(second)}`, below: rest.join('/') }
}

function isSidecar(stem: string, extension: string): boolean {
  return extension.toLowerCase() === 'yaml' && endingFault(stem) === undefined
}

/** `x/_posts` and `x/_drafts` are folders of posts, with the category `x`; not in system folders. */
function folderOfOthers(segments: readonly string[]): KindFolder | undefined {
  if (SYSTEM_FOLDERS.has(segments[0] ?? '')) return undefined
  const at = segments.findLastIndex((name) => OTHER_TOOLS.test(name))
  const before = segments.slice(0, at).filter((name) => !OTHER_TOOLS.test(name))
  const categories = (before[0] === 'posts' ? before.slice(1) : before).map((name) => composed(name))
  const isDraft = segments.includes('_drafts')
  const words = { isDraft, categories, root: segments.slice(0, at + 1).join('/') }
  return { kind: 'posts', below: segments.slice(at + 1).join('/'), words }
}

/** Returns whether a file directly in the content folder holds settings, on any disk: some ignore case. */
export function isSettingsFile(name: string): boolean {
  return SETTINGS.test(name)
}

/** Returns the place of a file that holds settings; undefined for one that is spelled so as to be none. */
export function placeOfSettings(name: string): Exclude<Place, BadName> {
  return GROUPS_FILES.includes(name) ? { key: GROUPS_KEY, extension: name.slice(name.lastIndexOf('.') + 1) } : undefined
}

/** The key of the document that the file at a path below the content folder is, or would be. */
export function keyOfFile(file: string): Key | undefined {
  if (isSettingsFile(file)) return placeOfSettings(file)?.key
  const slash = file.lastIndexOf('/')
  const folder = kindOfFolder(file.slice(0, Math.max(0, slash)))
  const name = file.slice(slash + 1)
  const place = folder && placeOf(folder, folder.below === '' ? name : `${folder.below}/${name}`)
  return place && 'key' in place ? place.key : undefined
}

/** Returns the form of a document's file: its extension, and the values from its path below the content folder. */
export function formOf(kind: Kind, file: string): FileForm {
  const extension = file.slice(file.lastIndexOf('.') + 1).toLowerCase()
  if (isPrivate(kind)) return { extension }
  const name = file.slice(file.lastIndexOf('/') + 1)
  const place = name === file ? { folder: '' } : {}
  const form = { extension, ...place, ...(INDEX.test(name) && { hasFolder: true as const }) }
  if (!file.includes('_')) return form
  if (SECTION.test(name)) return { ...form, isSection: true }
  const folder = file.slice(0, -name.length - 1)
  const { words } = kindOfFolder(folder) ?? {}
  if (!words) return form
  const date = dateOf(name)
  const draft = words.isDraft ? 'folder' : date === undefined ? 'name' : undefined
  const said = { categories: words.categories, ...(date && { date }) }
  return { ...form, folder: composed(folder), ...said, ...(draft && { draft }) }
}

function undated(name: string): string {
  return dateOf(name) === undefined ? name : name.replace(DATED, '')
}

/** The day that a name begins with, as `2013-05-06`; one that is on no calendar is part of the name. */
function dateOf(name: string): string | undefined {
  const [, , year, month = '', day = ''] = DATED.exec(name) ?? []
  if (year === undefined) return undefined
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const time = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === date ? date : undefined
}

/** Returns the path of the file whose bytes belong to a document's file: of a sidecar that which it describes; else undefined. */
export function describedFile(kind: Kind, file: string): string | undefined {
  return kind === MEDIA ? file.slice(0, -'.yaml'.length) : undefined
}

/** Returns the reason why a folder of `content/` can't be a kind, as the end of a sentence, or undefined if it can. */
export function folderFault(folder: string): string | undefined {
  const found = kindOfFolder(folder)
  return found && kindFault(found.kind)
}

/** Returns whether a kind's documents are plain data. New ones are written as YAML then. */
export function isData(kind: Kind): boolean {
  return isPrivate(kind) || kind === 'menus' || kind === 'settings' || kind === MEDIA || kind.startsWith('taxonomy/')
}

/**
 * Returns the new path, below the content folder, of a moved record that is in a folder of another tool or is the page of a
 * section. It keeps that role. Throws InvalidInput if its new name would mean another id.
 */
export function movedFile(key: Key, from: string): string | undefined {
  const name = from.slice(from.lastIndexOf('/') + 1)
  const extension = RECORD.exec(name)?.[2]
  if (SECTION.test(name)) return `${key.kind}/${key.id === 'index' ? '' : `${idToPath(key.id)}/`}_index.${extension}`
  const { words } = kindOfFolder(from.slice(0, Math.max(0, from.length - name.length - 1))) ?? {}
  if (!words) return undefined
  const folders = idToPath(key.id).split('/')
  const last = folders.pop() ?? ''
  const date = dateOf(name) === undefined ? undefined : DATED.exec(name)?.[1]
  if (date === undefined && undated(last) !== last) {
    throw new InvalidInput({
      id: [`must not begin with a date: in the name of a file in ${words.root} that is no part of the id.`],
    })
  }
  return [words.root, ...folders, `${date === undefined ? '' : `${date}-`}${last}.${extension}`].join('/')
}

/**
 * Returns the path of a key's document, existing or new, below its kind's folder. `from` is the file it is moved from and the id
 * it had: it keeps its form.
 */
export function fileName(key: Key, from?: { path: string; id: string }): string {
  const extension = RECORD.exec(from?.path ?? '')?.[2] ?? (isData(key.kind) ? 'yaml' : 'md')
  if (isPrivate(key.kind)) return `${key.id}.${extension}`
  if (key.kind === MEDIA) return `${idToPath(key.id)}.yaml`
  // `x/index.md` is `x`, but the `index.md` of a kind's own folder is only itself.
  const isLeaf = from !== undefined && from.id !== 'index' && /\/index\.[^/]+$/.test(from.path)
  return `${idToPath(key.id)}${isLeaf && key.id !== 'index' ? '/index' : ''}.${extension}`
}

/** Every path below the kind's folder at which a file would have this id. */
export function candidates(key: Key): string[] {
  if (isPrivate(key.kind) || key.kind === MEDIA) return [fileName(key)]
  const path = idToPath(key.id)
  const usual = RECORD_ENDINGS.flatMap((extension) => [`${path}.${extension}`, `${path}/index.${extension}`])
  return isData(key.kind) ? usual : [...usual, key.id === 'index' ? '_index.md' : `${path}/_index.md`]
}
