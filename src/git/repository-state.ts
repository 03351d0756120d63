import { inProgress, type Repository, readHead } from './repository.ts'

/** The state of a repository, for an operator. */
export interface RepositoryState {
  /** Without `refs/heads/`; null where HEAD is detached. */
  readonly branch: string | null
  readonly commit: string | null
  /** The operation that the author is in the middle of: `merge`, `rebase`… */
  readonly operation: string | null
  /** The reason why nothing can be saved now, as a sentence that names nothing of the repository; null if saves are possible. */
  readonly read_only: string | null
}

/** Looks at where a repository stands. `wanted` is the only branch that is written to, null any. */
export async function repositoryState(repository: Repository, wanted: string | null): Promise<RepositoryState> {
  const { ref, commit } = await readHead(repository)
  const branch = ref?.replace('refs/heads/', '') ?? null
  const operation = inProgress(repository) ?? null
  return { branch, commit: commit ?? null, operation, read_only: readOnly(branch, operation, wanted) }
}

function readOnly(branch: string | null, operation: string | null, wanted: string | null): string | null {
  if (operation !== null) return `A ${operation} is in progress in the repository: nothing can be saved until it ends.`
  if (branch === null) return 'The repository is on no branch: nothing can be saved until it is on one.'
  if (wanted !== null && branch !== wanted) return 'The repository is on another branch than the one that saves go to.'
  return null
}
