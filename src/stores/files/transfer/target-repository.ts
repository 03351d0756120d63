import { git } from '#git/process.ts'
import { isHalfMade, openRepository, type Repository, readHead } from '#git/repository.ts'
import { BadConfig } from '#lib/errors.ts'
import { beginRepository } from '../committing/begin.ts'
import type { FilesFolder } from './hold.ts'

/** Opens the repository that a site is carried into, or begins one. Throws BadConfig where its history can be in none. */
export async function repositoryToFill(root: string, { enabled, branch }: FilesFolder['git']): Promise<Repository> {
  if (enabled === false) throw noHistory('git.enabled is false', 'Leave it out.')
  const found = await openRepository(root, enabled === true ? 'auto' : enabled)
  if (!('without' in found)) return found
  if (found.without !== 'none' && !isHalfMade(root)) throw noHistory('git can’t be used', '`cms doctor` says why.')
  await beginRepository(root, [], { by: undefined, otherwise: { name: '', email: '' } })
  const made = await openRepository(root, 'auto')
  if ('without' in made) throw noHistory('git can’t be used', 'Install git 2.36 or newer.')
  const { commit } = await readHead(made)
  if (branch !== null && commit === undefined) await git(made.top, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`])
  return made
}

function noHistory(why: string, hint: string): BadConfig {
  return new BadConfig(`The history has nowhere to go: ${why}.`, undefined, hint)
}
