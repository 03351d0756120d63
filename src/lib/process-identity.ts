import { hostname } from 'node:os'
import { readableText } from './files/readable.ts'
import { isRunning } from './running.ts'

/** The process that holds a lock or serves a site. `start` distinguishes it from another process that got the same pid. */
export interface Holder {
  pid: number
  host: string
  bootId: string
  start: string
}

/** This process. */
export function thisProcess(): Holder {
  return { pid: process.pid, host: hostname(), bootId: bootId(), start: startOf(process.pid) }
}

/** Returns whether the process may still exist. One on another machine can't be checked and counts as alive. */
export function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true
  if (holder.bootId !== bootId()) return false
  return isRunning(holder.pid) && holder.start === startOf(holder.pid)
}

/** A holder as its file has it; undefined where the text is none. */
export function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, host, bootId, start } = JSON.parse(text)
    return Number.isInteger(pid) && typeof host === 'string'
      ? { pid, host, bootId: String(bootId), start: String(start) }
      : undefined
  } catch {
    return undefined
  }
}

/** Returns the start of a process, in ticks since the machine started; '' if the system does not provide it. */
function startOf(pid: number): string {
  const stat = readableText(`/proc/${pid}/stat`) ?? ''
  // The name, in brackets, may hold anything; the start is the 20th word after it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

/** Tells this run of the machine from others; '' where the system does not say. */
export function bootId(): string {
  return readableText('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
}
