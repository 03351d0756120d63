import { blobId } from '#git/blob-id.ts'
import type { IndexEntry } from '#git/index/bytes.ts'
import type { Objects } from '#git/objects.ts'
import type { Repository } from '#git/repository.ts'
import { Conflict } from '#lib/errors.ts'
import type { Edit, Step } from '../writing/steps.ts'
import type { Planned } from '../writing/writer.ts'

/** The state of git for the files of a write. Paths are from the top of the working tree. */
export interface GitState {
  readonly commit: string | undefined
  readonly entries: ReadonlyMap<string, IndexEntry>
  readonly staged: ReadonlySet<string>
}

/**
 * The steps whose files hold an author's edit that is in no commit yet. Throws Conflict where an edit was staged and the file
 * edited further, so that a commit would lose one of the two; where git was told to overlook the edit; and, with `refuse`, for
 * any such edit. A file that the author has removed is none: a save brings it back.
 */
export async function localEdits(
  parts: { repository: Repository; objects: Objects },
  steps: readonly Step[],
  state: GitState,
  mode: 'keep' | 'refuse',
): Promise<Step[]> {
  const { repository } = parts
  const found = await Promise.all(steps.map(async (step) => ((await isEdited(parts, step, state)) ? [step] : [])))
  const edited = found.flat()
  for (const { path } of edited) {
    const mark = state.entries.get(`${repository.prefix}${path}`)?.overlooked
    if (mark) throw overlooked(`${repository.prefix}${path}`, mark)
  }
  const [first] = edited
  if (!first || mode === 'keep') return edited
  const hint = `Commit it: git add ${repository.prefix}${first.path} && git commit`
  throw new Conflict(`"${first.path}" was edited in the folder and not committed.`, undefined, hint)
}

async function isEdited(
  { repository, objects }: { repository: Repository; objects: Objects },
  { path, before }: Step,
  { commit, entries, staged }: GitState,
): Promise<boolean> {
  const full = `${repository.prefix}${path}`
  const onDisk = before && blobId(repository, before)
  const inIndex = entries.get(full)?.id
  const isStaged = staged.has(full)
  const committed =
    isStaged && commit !== undefined ? (await objects.info(`${commit}:${full}`))?.id : isStaged ? undefined : inIndex
  if (isStaged && inIndex !== onDisk && !(onDisk === undefined && inIndex === undefined)) throw stagedAndEdited(path)
  return onDisk !== undefined && onDisk !== committed && !isConverted(repository, before, committed)
}

/**
 * The batches with the line endings that git keeps where it converts them (`core.autocrlf`, `eol=crlf`): the files keep those
 * they have.
 */
export function asGitKeeps(
  repository: Repository,
  batches: readonly Planned[],
  steps: readonly Step[],
  entries: ReadonlyMap<string, IndexEntry>,
): readonly Planned[] {
  const isOne = ({ path, before }: Step) => isConverted(repository, before, entries.get(`${repository.prefix}${path}`)?.id)
  const converted = new Set(steps.filter(isOne).map(({ path }) => path))
  if (converted.size === 0) return batches
  const edit = (one: Edit) => (converted.has(one.path) && one.after ? { ...one, after: withoutReturns(one.after) } : one)
  return batches.map((batch) => ({ ...batch, edits: batch.edits.map(edit) }))
}

function isConverted(repository: Repository, onDisk: Buffer | undefined, committed: string | undefined): boolean {
  if (!onDisk || committed === undefined || !onDisk.includes('\r\n')) return false
  return blobId(repository, onDisk) !== committed && blobId(repository, withoutReturns(onDisk)) === committed
}

function withoutReturns(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
}

function stagedAndEdited(path: string): Conflict {
  return new Conflict(
    `"${path}" was staged and then edited further in the folder.`,
    undefined,
    'Commit what is staged, or take it back with `git restore --staged`.',
  )
}

function overlooked(path: string, mark: string): Conflict {
  return new Conflict(
    `"${path}" was edited in the folder, and git is told to overlook that (${mark}).`,
    undefined,
    `To have the edit committed: git update-index --no-${mark} ${path}`,
  )
}
