import type { Author } from '#core/document.ts'
import { type Key, keyText } from '#core/key.ts'
import type { MovedRevision, MovedWrite } from '#core/transfer.ts'
import { blobId } from '#git/objects/blob-id.ts'
import { git } from '#git/process.ts'
import type { Repository } from '#git/repository.ts'
import { NumberWalk } from '../history/numbers.ts'
import { instantOf, type Lines } from '../history/record-log.ts'
import { type Entry, pathOf } from '../registry/registry.ts'
import type { Present } from './present.ts'

/** The part of a site that is in no commit. */
export interface Uncommitted {
  /** Files that are not as the last commit has them, or not in it. */
  readonly entries: readonly Entry[]
  /** Records whose file was removed, and where it was, from the site's root. */
  readonly gone: readonly { readonly key: Key; readonly path: string }[]
}

/**
 * Finds what the working tree has otherwise than `tip`, as git itself would say: other line endings than it keeps are no
 * difference.
 */
export async function uncommitted(repository: Repository, content: string, tip: string, present: Present): Promise<Uncommitted> {
  const { top, prefix } = repository
  const kept = await blobsOf(top, tip, prefix + content)
  const others = present.entries().filter((entry) => kept.get(prefix + pathOf(entry)) !== blobOf(repository, present, entry))
  const entries = present.entries()
  const here = new Set(entries.map((entry) => prefix + pathOf(entry)))
  const gone = [...kept.keys()].flatMap((path) => {
    const key = here.has(path) ? undefined : present.registry.places.keyAt(path.slice(prefix.length))
    return key && present.fileOf(key) === undefined ? [{ key, path: path.slice(prefix.length) }] : []
  })
  if (others.length === 0) return { entries: [], gone }
  const differing = await differingFrom(top, tip, prefix + content)
  const isNew = (entry: Entry) => !kept.has(prefix + pathOf(entry))
  return { entries: others.filter((entry) => isNew(entry) || differing.has(prefix + pathOf(entry))), gone }
}

function blobOf({ format }: Repository, present: Present, entry: Entry): string {
  if (format === 'sha1' && entry.head.version !== '') return entry.head.version
  return blobId({ format }, present.read(entry))
}

/** Returns the plain files that a commit has below a folder: git's ids by path from the top. */
async function blobsOf(top: string, tip: string, folder: string): Promise<Map<string, string>> {
  const text = (await git(top, ['ls-tree', '-r', '-z', tip, '--', folder])).toString('utf8')
  return new Map(
    text.split('\0').flatMap((line): [string, string][] => {
      const [, id, path] = /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
      return id !== undefined && path !== undefined ? [[path, id]] : []
    }),
  )
}

async function differingFrom(top: string, tip: string, folder: string): Promise<Set<string>> {
  const text = (await git(top, ['diff', '--name-only', '--no-renames', '--no-ext-diff', '-z', tip, '--', folder])).toString(
    'utf8',
  )
  return new Set(text.split('\0').filter(Boolean))
}

/** The dependencies for making the last write of a history from the data that is in no commit. */
export interface KeptDeps {
  readonly present: Present
  /** The folder of content, from the site's root. */
  readonly content: string
  /** Undefined: there is no history at all, and when the documents came to be is not known. */
  readonly lines: ReadonlyMap<string, Lines> | undefined
  readonly by: Author
  /** Milliseconds since 1970. */
  readonly now: number
}

/** A write by hand of what is in no commit, so that none of it is lost; undefined where there is nothing of the kind. */
export function keptWrite(deps: KeptDeps, { entries, gone }: Uncommitted): MovedWrite | undefined {
  if (entries.length + gone.length === 0) return undefined
  const at = Math.floor(deps.now / 1000) * 1000
  const revisions = [
    ...entries.map((entry) => revisionOf(deps, entry.head.key, pathOf(entry), deps.present.read(entry))),
    ...gone.map(({ key, path }) => revisionOf(deps, key, path, undefined)),
  ]
  const said = { number: undefined, action: undefined, request: undefined, from: undefined }
  return { at, by: deps.by, message: sentence(deps, revisions), ...said, isKept: true, revisions }
}

function revisionOf({ lines, content, now }: KeptDeps, key: Key, path: string, bytes: Buffer | undefined): MovedRevision {
  const seconds = Math.floor(now / 1000)
  const number = (lines?.get(keyText(key))?.walk ?? new NumberWalk()).next({ number: undefined, seconds })
  const said = { number, at: instantOf(number, seconds), action: 'external' as const, from: undefined }
  return { key, file: path.slice(content.length + 1), bytes, ...said, isEnd: lines === undefined }
}

function sentence({ lines, content }: KeptDeps, revisions: readonly MovedRevision[]): string {
  const [first] = revisions
  const what = revisions.length === 1 && first ? `${content}/${first.file}` : `${revisions.length} files`
  return lines ? `Keep local edit of ${what}` : `Begin a history with ${what}`
}
