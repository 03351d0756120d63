import { GitFailure, gitText } from '../process.ts'

/** Number of commits that are on one side only. */
export interface Apart {
  readonly ahead: number
  readonly behind: number
}

/** Counts the commits by which ours and that of the remote differ. Without one there, all of ours is ahead. */
export async function apart(top: string, ours: string, theirs: string | undefined): Promise<Apart> {
  const range = theirs === undefined ? ours : `${ours}...${theirs}`
  const counted = await gitText(top, [
    'rev-list',
    '--count',
    ...(theirs === undefined ? [] : ['--left-right']),
    '--end-of-options',
    range,
  ])
  const [ahead = 0, behind = 0] = counted.split('\t').map(Number)
  return { ahead, behind }
}

/** Returns whether two commits have a common ancestor. */
export async function hasCommonPast(top: string, ours: string, theirs: string): Promise<boolean> {
  try {
    await gitText(top, ['merge-base', '--end-of-options', ours, theirs])
    return true
  } catch (error) {
    if (error instanceof GitFailure && error.code === 1) return false
    throw error
  }
}

/** Returns whether the repository holds only the last part of its history. */
export async function isShallow(top: string): Promise<boolean> {
  return (await gitText(top, ['rev-parse', '--is-shallow-repository'])) === 'true'
}
