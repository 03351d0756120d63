import type { IndexEntry } from '#git/index/bytes.ts'
import type { BlobIds, KeptBlob } from '#git/objects/blob-id.ts'
import type { Objects } from '#git/objects/objects.ts'
import type { Repository } from '#git/repository.ts'
import { Conflict } from '#lib/errors.ts'
import type { AnyBytes } from '#lib/files/bytes.ts'
import type { Step } from '../writing/steps.ts'

/** The state of git for the files of a write, and what it keeps of them. Paths are from the top of the working tree. */
export interface GitState {
  readonly commit: string | undefined
  readonly entries: ReadonlyMap<string, IndexEntry>
  readonly staged: ReadonlySet<string>
  readonly keep: Keep
  readonly ids: BlobIds
}

/** Returns what git keeps of the bytes of a file from the site's root: of a file beside a document what `convertedFiles` found, else all. */
export type Keep = (path: string, bytes: AnyBytes) => AnyBytes | KeptBlob

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
  { commit, entries, staged, keep, ids }: GitState,
): Promise<boolean> {
  const full = `${repository.prefix}${path}`
  // A file may be as git has it by its bytes, or by what git would keep of them.
  const onDisk = new Set([...new Set(before && [before, keep(path, before)])].map((bytes) => ids.of(bytes)))
  const isOnDisk = (id: string | undefined) => (id === undefined ? onDisk.size === 0 : onDisk.has(id))
  const inIndex = entries.get(full)?.id
  const isStaged = staged.has(full)
  const committed =
    isStaged && commit !== undefined ? (await objects.info(`${commit}:${full}`))?.id : isStaged ? undefined : inIndex
  if (isStaged && !isOnDisk(inIndex)) throw stagedAndEdited(path)
  return before !== undefined && !isOnDisk(committed)
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
