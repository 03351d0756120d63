import { Unavailable } from '#lib/errors.ts'
import { type Head, inProgress, type Repository, readHead } from '../repository.ts'

/** HEAD on a branch. */
export type BranchHead = Head & { readonly ref: string }

/**
 * Returns the state of HEAD if it may be committed to. Otherwise throws Unavailable, which ends when the author's work does.
 * `branch` is the only one that may be written to, null allows any.
 */
export async function standing(repository: Repository, branch: string | null): Promise<BranchHead> {
  const busy = inProgress(repository)
  if (busy !== undefined) {
    const message = `A ${busy} is in progress in the repository, so nothing can be saved until it ends.`
    throw new Unavailable(message, 5, 'End it, or take it back; see `git status`.')
  }
  const { ref, commit } = await readHead(repository)
  if (ref === undefined) {
    throw new Unavailable(
      'The repository is on no branch (its HEAD is detached), so nothing can be saved.',
      5,
      'Run: git switch <branch>',
    )
  }
  if (branch !== null && ref !== `refs/heads/${branch}`) {
    const message = `The repository is on the branch ${ref.replace('refs/heads/', '')}, and saves go to ${branch} only.`
    throw new Unavailable(message, 5, `Run: git switch ${branch} — or change git.branch.`)
  }
  return { ref, commit }
}
