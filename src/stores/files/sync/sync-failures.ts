import { isShallow } from '#git/history/apart.ts'
import { Conflict, Unavailable } from '#lib/errors.ts'
import type { SyncConflict } from './merge-conflict.ts'

/** The conflicts that a sync stopped at; none where it stopped for another reason. */
export function conflictsOf({ conflict }: Conflict): readonly object[] {
  const { conflicts } = (conflict ?? {}) as { conflicts?: unknown }
  return Array.isArray(conflicts) ? conflicts : []
}

/** A branch without a commit, and a remote that has some. */
export function unborn(branch: string, remote: string): Conflict {
  const hint = `Begin from what is there: \`git clone\`, or \`git pull ${remote} ${branch}\`.`
  return new Conflict(`${branch} has no commit yet, and ${remote} has some.`, undefined, hint)
}

/** Returns the error for a push when the remote has commits that would have to be pulled first, and no pull is wanted. */
export function outdated(remote: string, behind: number): Unavailable {
  const message = `${remote} has ${behind} ${behind === 1 ? 'commit that is' : 'commits that are'} not here, so nothing can be pushed.`
  return new Unavailable(message, 60, '`cms sync` brings them; with git.pull that is done by itself.')
}

/** Both sides changed the same: `{conflicts}` says where, and what each has. */
export function overlapping(conflicts: readonly SyncConflict[], remote: string): Conflict {
  const files = conflicts.length === 1 ? `${conflicts[0]?.file}` : `${conflicts.length} files`
  const hint =
    'Nothing was changed. Decide with `cms sync --prefer ours` or `--prefer theirs`; the other side stays in the history.'
  return new Conflict(`Here and on ${remote} the same was changed in ${files}.`, { conflicts }, hint)
}

/** Commits of the remote's `branch` (`origin/main`) change files of the private folder, at these paths. */
export function intrusion(paths: readonly string[], branch: string): Conflict {
  const [first] = paths
  const others = paths.length > 1 ? ` and ${paths.length - 1} more` : ''
  const message = `Commits on ${branch} change the private folder (${first}${others}): nothing of them was taken.`
  const hint = `Accounts, tokens and keys never come by git. \`git log ${branch} -- ${first}\` says who committed that: have it taken out there, and where git has such files here, \`git rm -r --cached\` them here too.`
  return new Conflict(message, { paths: paths.slice(0, 100) }, hint)
}

/** Commits of the remote's `branch` move or remove the records beside which these files lie, which are in no commit. */
export function abandoned(paths: readonly string[], branch: string): Conflict {
  const others = paths.length > 1 ? ` and ${paths.length - 1} more` : ''
  const message = `Commits on ${branch} move or remove the record of ${paths[0]}${others}, which is in no commit.`
  const hint = 'Commit it, so that it follows the record, or take it away: alone in that folder it would be public.'
  return new Conflict(message, { paths: paths.slice(0, 100) }, hint)
}

/** The repository knows no remote of that name. */
export function noRemote(name: string): Unavailable {
  return new Unavailable(
    `The repository has no remote named ${name}.`,
    600,
    `Run: git remote add ${name} <address>; or set git.remote.`,
  )
}

/** The two sides come from no common commit, as far as this repository knows. */
export async function strangers(top: string, remote: string): Promise<Conflict> {
  const hint = (await isShallow(top))
    ? `This is a shallow clone: fetch the rest with \`git fetch --unshallow ${remote}\`.`
    : 'They are two repositories that were begun apart. Check that the remote is the right one.'
  return new Conflict(`What is here and what is on ${remote} have no commit in common.`, undefined, hint)
}
