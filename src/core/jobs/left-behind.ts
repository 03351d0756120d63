import { counted } from '#lib/text/counted.ts'
import type { Remark } from '../backend.ts'
import type { WaitingJobs } from './jobs.ts'

/** Returns what to say of jobs that stay where they are when their site moves; nothing where none wait. */
export function leftBehind(waiting: readonly WaitingJobs[]): Remark[] {
  const count = waiting.reduce((sum, one) => sum + one.count, 0)
  if (count === 0) return []
  const names = waiting.map((one) => `${one.name}: ${one.count}`).join(', ')
  const message = `${counted(count, 'job')} that ${count === 1 ? 'waits is' : 'wait are'} not moved (${names}).`
  return [{ message, hint: 'Letters that are to be sent are such jobs. A server that runs here once more does them.' }]
}
