import type { EndingSettings } from '#git/files/line-endings.ts'
import { BadRequest } from '#lib/errors.ts'

/** The manifest of a backup, in `quire-backup.json`. */
export interface Manifest {
  readonly format: 1
  /** Of Quire, which made it. */
  readonly version: string
  /** RFC 3339 UTC. */
  readonly created_at: string
  /** The private folder, from the site's. */
  readonly private_dir: string
  /** Number of files and links of the site and of its private folder. */
  readonly files: number
  /** Null: the site has no history, or it is not in the backup. */
  readonly history: HistoryPart | null
}

/** The state of the repository. Branches and tags are in the bundle, under `PINS`. */
export interface HistoryPart {
  /** The site's folder from the top of the repository, with `/` at its end, or ''. */
  readonly prefix: string
  readonly object_format: 'sha1' | 'sha256'
  /** The full ref that HEAD is on, or null where it is detached. */
  readonly head: string | null
  /** True if there is a bundle: a repository without a commit has none. */
  readonly bundle: boolean
  /** True if staged changes are in the bundle, too. */
  readonly index: boolean
  /** Commits before which the history is not known: those of a shallow clone. */
  readonly shallow: readonly string[]
  /** Settings of remotes and branches. */
  readonly settings: readonly (readonly [string, string])[]
  /** Absent in backups of earlier releases. */
  readonly conversion?: ConversionPart
}

/** The settings by which git converts line endings in the repository, wherever they were set. */
export interface ConversionPart extends EndingSettings {
  /** The text of `.git/info/attributes`, or null if there is none. */
  readonly attributes: string | null
}

/** Names in the archive. */
export const NAMES = { manifest: 'quire-backup.json', site: 'site', private: 'private', bundle: 'history.bundle' } as const

/** Ref prefix under which a backup pins refs while they are bundled, and under which they are in the bundle. */
export const PINS = 'refs/cms/backup'

/**
 * Settings of the repository that a backup carries: where the remotes are, and which branch goes with which. None of them starts
 * a program.
 */
export const SETTING = /^(?:remote\..+\.(?:url|pushurl|fetch)|branch\..+\.(?:remote|merge))$/

/** Reads a manifest; throws BadRequest if this Quire can't restore it. */
export function parseManifest(text: string): Manifest {
  const manifest = parsed(text)
  if (manifest.format !== 1) throw notOurs('It was made by a newer Quire, or by something else.')
  const { private_dir: folder, history } = manifest
  if (typeof folder !== 'string' || !isInside(folder) || typeof manifest.files !== 'number')
    throw notOurs('Its list of contents is damaged.')
  if (history && !isHistory(history)) throw notOurs('What it says of the history is damaged.')
  return manifest as Manifest
}

/** The failure of an archive that can't be restored. */
export function notOurs(why: string): BadRequest {
  return new BadRequest(`The file is not a backup that can be restored. ${why}`, 'Nothing was made. Try another backup.')
}

function parsed(text: string): Partial<Manifest> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function isHistory({ prefix, head, settings, object_format, shallow, conversion }: Partial<HistoryPart>): boolean {
  const isPrefix = prefix === '' || (typeof prefix === 'string' && prefix.endsWith('/') && isInside(prefix.slice(0, -1)))
  const isHead = head === null || (typeof head === 'string' && /^refs\/heads\/[^\s\0]+$/.test(head))
  const areSettings =
    Array.isArray(settings) && settings.every((pair) => Array.isArray(pair) && pair.length === 2 && SETTING.test(pair[0]))
  const areCommits = Array.isArray(shallow) && shallow.every((id) => /^[0-9a-f]{40,64}$/.test(String(id)))
  const isFormat = object_format === 'sha1' || object_format === 'sha256'
  return isPrefix && isHead && areSettings && areCommits && isFormat && isConversion(conversion)
}

function isConversion(conversion: Partial<ConversionPart> | null | undefined): boolean {
  if (conversion === undefined) return true
  const { autocrlf, eol, attributes } = conversion ?? {}
  const areEndings = ['true', 'input', 'false'].includes(String(autocrlf)) && ['lf', 'crlf', 'native'].includes(String(eol))
  return areEndings && (attributes === null || typeof attributes === 'string')
}

/** True for a path that leads down only. */
export function isInside(path: string): boolean {
  if (path.includes('\0') || path.includes('\\') || path.startsWith('/') || /^[A-Za-z]:/.test(path)) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git')
}
