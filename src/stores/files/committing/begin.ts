import type { Author } from '#core/document.ts'
import { git, gitText } from '#git/process.ts'
import { networkGit } from '#git/remote/network.ts'
import { isHalfMade, isInRepository } from '#git/repository.ts'
import { messageText } from './message.ts'

const UNSAID = { number: undefined, request: undefined, from: undefined }
const MESSAGE = messageText({ text: 'Begin the site', action: 'created', ...UNSAID })

/** The result of starting a history for a folder: `none` if it is in a repository already, which is left alone. */
export type Begun = 'none' | 'made' | 'committed'

/**
 * Makes `folder` a repository, on git's default branch, and commits `paths` (from the folder) in it. The author is `by`, the user
 * of the environment, else the one of git's configuration, else `otherwise`. Hooks and signatures are skipped. Throws git's
 * message if there is none.
 */
export async function beginRepository(
  folder: string,
  paths: readonly string[],
  { by, otherwise }: { by: Author | undefined; otherwise: Author },
): Promise<Begun> {
  if (isInRepository(folder) && !isHalfMade(folder)) return 'none'
  await (await networkGit(folder)).init()
  if (paths.length === 0) return 'made'
  const { name, email } = by ?? (await configured(folder)) ?? otherwise
  const env = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
  // What the author ignores everywhere is ours to begin with all the same.
  await git(folder, ['add', '--force', '--', ...paths])
  await git(folder, ['commit', '--quiet', '--no-verify', '--no-gpg-sign', '-m', MESSAGE], { env })
  return 'committed'
}

async function configured(folder: string): Promise<Author | undefined> {
  const ask = (name: string) => gitText(folder, ['config', '--get', name]).catch(() => '')
  const [name, email] = [await ask('user.name'), await ask('user.email')]
  return name === '' || email === '' ? undefined : { name, email }
}
