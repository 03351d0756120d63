import { rmdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Conflict, Stale } from '#lib/errors.ts'
import { type Stamp, stampAt } from '#lib/files/stamp.ts'
import { type Replacement, Swap } from '#lib/files/swap.ts'
import { attributePaths } from '../files/attributes.ts'
import type { Conversions } from '../files/conversions.ts'
import { changedByAttributes } from '../files/places.ts'
import { SpecialFiles } from '../files/special-files.ts'
import type { IndexEntry } from '../index/bytes.ts'
import { IndexCopy } from '../index/copy.ts'
import { lookUp } from '../index/file.ts'
import { blobId } from '../objects/blob-id.ts'
import type { Objects } from '../objects/objects.ts'
import type { Repository } from '../repository.ts'
import { type Difference, differencesOf } from './differences.ts'
import type { Landing } from './landing.ts'
import { refuseUnplaceable } from './placeable.ts'
import type { Staged } from './staged.ts'
import { standing } from './standing.ts'

/** Throws where one of the paths that would change, from the top, is not to; `gone` are those at which nothing would be then. */
export type Refuse = (paths: readonly string[], gone: readonly string[]) => Promise<void>

interface Deps {
  repository: Repository
  objects: Objects
  conversions: Conversions
  staged: Staged
  landing: Landing
  branch: string | null
  mend: () => Promise<void>
  refuse: Refuse
  /** Tells of a file that it comes before others, and goes after them. */
  leads: (path: string) => boolean
}

type Entries = ReadonlyMap<string, IndexEntry>
type Converted = (path: string, bytes: Buffer) => Buffer

const TRIES = 5
/** Number of files open at once: a pull may bring more than a process may have. */
const AT_ONCE = 64

/**
 * Moves the branch from `base` to its descendant `tip`, and the working tree and the index with it, as a write does: all or nothing, through the journal. Throws
 * Stale where HEAD is not at `base`, Conflict where a path is none to be put on a disk, a file comes for a folder or a file that would change holds an edit that is in no commit, and
 * what `refuse` throws. The caller holds the lock of the repository's writers.
 */
export async function advance(deps: Deps, base: string, tip: string): Promise<void> {
  const differences = inOrder(await differencesOf(deps.repository, base, tip), deps.leads)
  const pathsOf = (some: readonly Difference[]) => some.map(({ path }) => path)
  await deps.refuse(pathsOf(differences), pathsOf(differences.filter(({ id }) => isNothing(id))))
  refuseUnplaceable(deps.repository.top, differences)
  for (let tries = 0; tries < TRIES; tries++) if (await tryOnce(deps, base, tip, differences)) return
  throw new Stale('The repository is being changed all the time.')
}

async function tryOnce(deps: Deps, base: string, tip: string, differences: readonly Difference[]): Promise<boolean> {
  const { repository, landing, staged } = deps
  await deps.mend()
  const head = await standing(repository, deps.branch)
  if (head.commit !== base) throw new Stale('The branch has moved meanwhile.')
  const paths = differences.map(({ path }) => path)
  const { seen, entries } = await lookUp(repository, new Set([...paths, ...attributePaths(paths)]))
  const stagedPaths = await staged.against(head.commit, seen.stamp)
  const apart = differences.filter(({ path, id }) => stagedPaths.has(path) && entries.get(path)?.id !== id)
  if (apart.length > 0) throw uncommitted(apart.map(({ path }) => path))
  const special = await changedByAttributes(repository, paths, entries)
  const isPlain = ({ path, mode, oldMode }: Difference) =>
    !special.has(path) && [mode, oldMode].every((one) => /^(100|000000)/.test(one))
  const plain = differences.filter(isPlain)
  const others = await SpecialFiles.look(
    repository,
    differences.filter((one) => !isPlain(one)),
  )
  if (others.edited.length > 0) throw uncommitted(others.edited)
  const index = await IndexCopy.prepare(
    repository,
    seen,
    differences.map(({ path, mode, id }) => ({ path, mode, id: isNothing(id) ? undefined : id })),
  )
  try {
    const put = await checkOutOf(deps, plain, entries, index)
    const replaced: Replaced[] = []
    for (let at = 0; at < plain.length; at += AT_ONCE) {
      replaced.push(...(await replacedOf(deps, plain.slice(at, at + AT_ONCE), entries, put)))
    }
    const files = await Swap.prepare(replaced.flatMap(({ replacement }) => replacement ?? []))
    const journal = replaced.map(({ difference: { path, mode, id }, onDisk }) => ({
      path,
      mode: /^100/.test(mode) ? mode : '100644',
      base: onDisk ?? null,
      next: isNothing(id) ? null : id,
      staged: entries.get(path)?.id ?? null,
    }))
    try {
      if (!(await landing.land({ head, tip, files, index, journal }))) return false
    } finally {
      files.discard()
    }
  } finally {
    index.discard()
  }
  await others.put()
  for (const { path, id } of differences) if (isNothing(id)) removeEmpty(repository.top, dirname(path))
  return true
}

/** As the attributes say that come with the commit, where any do: a checkout goes by those. */
function checkOutOf({ conversions }: Deps, differences: readonly Difference[], entries: Entries, index: IndexCopy) {
  const paths = differences.filter(({ id }) => !isNothing(id)).map(({ path }) => path)
  const areNew = differences.some(({ path }) => basename(path) === '.gitattributes')
  return conversions.checkOut(paths, entries, areNew ? index.path : undefined)
}

/** A difference in the working tree: the id of the bytes on the disk, and their replacement, unless they are right already. */
interface Replaced {
  readonly difference: Difference
  readonly onDisk: string | undefined
  readonly replacement?: Replacement
}

async function replacedOf(deps: Deps, differences: readonly Difference[], entries: Entries, put: Converted): Promise<Replaced[]> {
  const { repository, conversions } = deps
  const seen = await Promise.all(
    differences.map(async (difference) => {
      const real = join(repository.top, difference.path)
      const stamp = stampAt(real)
      const before = stamp === undefined ? undefined : await readFile(real).catch(() => undefined)
      if (stamp !== undefined && before === undefined) throw uncommitted([difference.path])
      return { difference, stamp, before }
    }),
  )
  const files = seen.flatMap(({ difference: { path }, before }) => (before ? [{ path, bytes: before }] : []))
  const keep = await conversions.keeper(files, entries)
  return Promise.all(seen.map((one) => replacementOf(deps, one, keep, put)))
}

async function replacementOf(
  { repository, objects }: Deps,
  { difference, stamp, before }: { difference: Difference; stamp: Stamp | undefined; before: Buffer | undefined },
  keep: Converted,
  put: Converted,
): Promise<Replaced> {
  const { path, mode, oldId, id } = difference
  const onDisk = before && blobId(repository, before)
  const kept = before && keep(path, before)
  const keptId = kept && kept !== before ? blobId(repository, kept) : onDisk
  const wanted = isNothing(id) ? undefined : id
  if (onDisk === wanted || keptId === wanted) return { difference, onDisk }
  if (onDisk !== undefined && onDisk !== oldId && keptId !== oldId) throw uncommitted([path])
  const made = wanted === undefined ? undefined : (await objects.read(wanted))?.bytes
  const permissions = (mode === '100755' ? 0o777 : 0o666) & ~process.umask()
  const after = made && put(path, made)
  const real = join(repository.top, path)
  const replacement = { real, root: repository.top, before, stamp, after, mode: permissions, folderMode: 0o777 }
  return { difference, onDisk, replacement }
}

function inOrder(differences: readonly Difference[], leads: (path: string) => boolean): Difference[] {
  const rankOf = ({ path, id }: Difference) => (!leads(path) ? 1 : isNothing(id) ? 2 : 0)
  return differences.toSorted((a, b) => rankOf(a) - rankOf(b))
}

function isNothing(id: string): boolean {
  return /^0+$/.test(id)
}

function uncommitted(paths: readonly string[]): Conflict {
  const some = paths.slice(0, 3).join(', ')
  const message = `There are edits in no commit yet in ${some}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}.`
  return new Conflict(message, { paths }, 'Commit them first, or take them back.')
}

/** As git does: a folder goes with its last file. */
function removeEmpty(top: string, folder: string): void {
  if (folder === '.') return
  try {
    rmdirSync(join(top, folder))
    removeEmpty(top, dirname(folder))
  } catch {
    // It holds something still.
  }
}
