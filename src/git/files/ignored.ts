import { git } from '../process.ts'
import type { Repository } from '../repository.ts'

/** The paths are no patterns to this command, and it refuses to be told so. */
const ENV = { GIT_LITERAL_PATHSPECS: '0' }

/** Returns those of the paths, from the top of the working tree, that git is told to ignore, and does not hold. */
export async function ignoredIn({ top }: Repository, paths: readonly string[]): Promise<string[]> {
  // A path that begins with a colon would be more than a path.
  const input = paths.map((path) => `./${path}`).join('\0')
  // Exit code 1: none is.
  const found = await git(top, ['check-ignore', '-z', '--stdin'], { input, env: ENV, accept: [1] })
  const ignored = found.toString('utf8').split('\0')
  return ignored.flatMap((path) => (path === '' ? [] : [path.slice('./'.length)]))
}
