import { readFileSync } from 'node:fs'

const LOOK_MS = 500
/** Milliseconds in a tick of the times in /proc. */
const TICK_MS = 10

/**
 * Ends a process that has taken more of the processor than it may since it last said a word. On Linux others on the machine do not
 * count; elsewhere the time that went by does.
 */
export class Allowance {
  readonly #pid: number
  readonly #timer: NodeJS.Timeout
  #from: number

  constructor(pid: number, ms: number, spent: () => void) {
    this.#pid = pid
    this.#from = this.#now()
    this.#timer = setInterval(() => {
      if (this.#now() - this.#from > ms) spent()
    }, LOOK_MS)
  }

  /** Begins to count anew. */
  renew(): void {
    this.#from = this.#now()
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #now(): number {
    try {
      // The name of the program stands in brackets, and may have spaces.
      const [, rest = ''] = /\) (.*)/.exec(readFileSync(`/proc/${this.#pid}/stat`, 'latin1')) ?? []
      const fields = rest.split(' ')
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS
    } catch {
      return process.platform === 'linux' ? Number.NaN : performance.now()
    }
  }
}
