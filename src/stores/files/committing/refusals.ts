import { GitFailure } from '#git/process.ts'
import { NoSpace, Unavailable } from '#lib/errors.ts'

/** Returns the failure that the caller of a save gets for a failure of git; any other error as it is. */
export function refusedByGit(error: unknown): unknown {
  if (!(error instanceof GitFailure)) return error
  const { stderr } = error
  if (/No space left on device|Disk quota exceeded|Out of diskspace/.test(stderr))
    return new NoSpace('The disk is full: nothing was changed.')
  const message = 'git failed, so nothing was saved.'
  return new Unavailable(
    message,
    2,
    `Try again; if it fails again, \`git fsck\` and \`cms doctor\` tell more. It said: ${stderr.trim().split('\n')[0]}`,
  )
}
