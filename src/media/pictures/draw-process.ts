import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { moduleAddress } from '#lib/package.ts'
import type { DrawAnswer, DrawQuestion } from './request.ts'

/** Milliseconds that the process is kept with nothing to do, that it may take to start, and that an answer may be late. */
const IDLE_MS = 60_000
const START_MS = 60_000
const LATE_MS = 500

/** Variables that a process has to have; it is told no others, since it reads what strangers send. */
const TOLD = ['PATH', 'Path', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR', 'NODE_OPTIONS', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']

interface Asked {
  question: DrawQuestion
  resolve(answer: DrawAnswer): void
  reject(error: Error): void
  timer: NodeJS.Timeout | undefined
  /** True after a process ended while it was at this. */
  isSecond: boolean
}

/**
 * A process that makes pictures, each within a limit, all that it is asked at once. It is no thread: sharp's library keeps a program
 * from ending while a thread has it, and a picture that makes it crash would take the program along. It is there while there is
 * work, and a while after; with nothing to do it keeps no program running.
 */
export class DrawProcess {
  readonly #idleMs: number
  readonly #atOnce: number
  readonly #asked = new Map<number, Asked>()
  /** Questions that wait until the process is at none, or at none of which one made it end. */
  #waiting: Asked[] = []
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #next = 1

  /** `atOnce` is how many pictures are asked for at once. */
  constructor(atOnce: number, idleMs = IDLE_MS) {
    this.#atOnce = atOnce
    this.#idleMs = idleMs
  }

  /** Resolves with the answer; rejects where it takes too long, or the process ends twice while it is at this. */
  ask(question: Omit<DrawQuestion, 'id'>): Promise<DrawAnswer> {
    const id = this.#next++
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question: { ...question, id }, resolve, reject, timer: undefined, isSecond: false })
      this.#sendWaiting()
    })
  }

  /** Ends the process. What is not done is rejected. */
  close(): void {
    const all = [...this.#end(), ...this.#waiting.splice(0)]
    for (const { reject } of all) reject(new Error('It was ended.'))
  }

  /**
   * Sends what waits. A picture that may have made the process end is sent alone: it is to take no other one along. So is one that
   * takes much memory: two of them at once are more than a server has to spare.
   */
  #sendWaiting(): void {
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const isAlone = goesAlone(next) || [...this.#asked.values()].some(goesAlone)
      if (isAlone && this.#asked.size > 0) return
      this.#waiting.shift()
      this.#send(next)
    }
  }

  #send(asked: Asked): void {
    clearTimeout(this.#idle)
    const { id, seconds } = asked.question
    const limit = seconds * 1000 + LATE_MS + (this.#child ? 0 : START_MS)
    this.#child ??= this.#start()
    asked.timer = setTimeout(() => this.#late(id), limit)
    this.#asked.set(id, asked)
    this.#child.ref()
    this.#child.channel?.ref()
    this.#child.send(asked.question)
  }

  #start(): ChildProcess {
    const env = Object.fromEntries(TOLD.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
    const child = fork(fileURLToPath(moduleAddress('media/pictures/drawing')), {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...env, UV_THREADPOOL_SIZE: String(this.#atOnce), MALLOC_ARENA_MAX: '2' },
    })
    yieldTo(child)
    child.on('message', (answer: DrawAnswer) => this.#took(child, answer))
    child.on('error', () => this.#ended(child))
    child.on('exit', () => this.#ended(child))
    return child
  }

  #took(child: ChildProcess, answer: DrawAnswer): void {
    const asked = this.#asked.get(answer.id)
    if (this.#child !== child || !asked) return
    clearTimeout(asked.timer)
    this.#asked.delete(answer.id)
    if (answer.isHeavy) this.#waiting.push(Object.assign(asked, { question: { ...asked.question, isAlone: true } }))
    else asked.resolve(answer)
    this.#sendWaiting()
    if (this.#asked.size === 0) this.#rest(child)
  }

  /** With nothing to do it keeps no program running. */
  #rest(child: ChildProcess): void {
    child.unref()
    child.channel?.unref()
    this.#idle = setTimeout(() => this.#end(), this.#idleMs).unref()
  }

  #late(id: number): void {
    const asked = this.#asked.get(id)
    if (!asked) return
    this.#asked.delete(id)
    asked.reject(new Error('It takes too long.'))
    // The process can't be kept from going on with this one alone.
    this.#again(this.#end())
  }

  /** Asks once more what the process was at: another picture may have been why it ended. */
  #ended(child: ChildProcess): void {
    if (this.#child !== child) return
    const [first, second] = [[] as Asked[], [] as Asked[]]
    for (const asked of this.#end()) (asked.isSecond ? second : first).push(asked)
    for (const { reject } of second) reject(new Error('The process ended.'))
    this.#again(first.map((asked) => Object.assign(asked, { isSecond: true })))
  }

  #again(asked: readonly Asked[]): void {
    this.#waiting.unshift(...asked)
    this.#sendWaiting()
  }

  /** Ends the process; gives what it was at. */
  #end(): Asked[] {
    clearTimeout(this.#idle)
    const left = [...this.#asked.values()]
    for (const { timer } of left) clearTimeout(timer)
    this.#asked.clear()
    const child = this.#child
    this.#child = undefined
    child?.kill('SIGKILL')
    return left
  }
}

function goesAlone({ isSecond, question }: Asked): boolean {
  return isSecond || question.isAlone === true
}

/** Has a process go behind all that answers requests. Not every system lets one. */
function yieldTo({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Then it goes beside.
  }
}
