import { GitFailure, gitText } from './process.ts'

/** How many commits are on one side only. */
export interface Apart {
  readonly ahead: number
  readonly behind: number
}

/** How far our commit and that of the remote are apart; without one there, all of ours is ahead. */
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

/** Whether two commits come from one. */
export async function hasCommonPast(top: string, ours: string, theirs: string): Promise<boolean> {
  try {
    await gitText(top, ['merge-base', '--end-of-options', ours, theirs])
    return true
  } catch (error) {
    if (error instanceof GitFailure && error.code === 1) return false
    throw error
  }
}

/** Whether the repository holds only the last part of its history. */
export async function isShallow(top: string): Promise<boolean> {
  return (await gitText(top, ['rev-parse', '--is-shallow-repository'])) === 'true'
}
