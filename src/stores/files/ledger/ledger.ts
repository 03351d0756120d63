import type { Count, Fact, Ledger } from '#core/ledger.ts'
import type { Clock } from '#lib/clock.ts'
import type { Json } from '#lib/json.ts'
import { FileLock } from '../disk/lock.ts'
import { RecordLog } from './record-log.ts'

/** A fact as a line of the log has it: name, value, and the instant its life ends; no value for one that was taken. */
interface Line {
  n: string
  v?: Json
  u?: number
}

interface Waiting {
  run(): readonly Line[]
  done(): void
  failed(error: unknown): void
}

/** Below this size the log is not worth making shorter. */
const COMPACT_BYTES = 256 * 1024

/**
 * A ledger in a file of lines, each a fact or the end of one; the facts are kept in memory too. Calls that come together share
 * one lock, one append and one wait for the disk. Safe among processes: what others appended is read before anything is decided.
 */
export class FilesLedger implements Ledger {
  readonly #clock: Clock
  readonly #log: RecordLog
  readonly #lock: FileLock
  readonly #facts = new Map<string, Fact>()
  /** Size at which the log is examined again, in bytes: to find out how much of it is live takes time with all of it. */
  #enough = COMPACT_BYTES
  #waiting: Waiting[] = []
  #working: Promise<void> | undefined

  /** Opens the ledger at `file`; the file and its folder are made when something is to be kept. */
  static async open(file: string, clock: Clock): Promise<FilesLedger> {
    const ledger = new FilesLedger(file, clock)
    ledger.#catchUp()
    return ledger
  }

  private constructor(file: string, clock: Clock) {
    this.#clock = clock
    this.#log = new RecordLog(file)
    this.#lock = new FileLock(`${file}.lock`)
  }

  put(name: string, value: Json, ttl: number): Promise<void> {
    return this.#decide(() => ({ lines: [{ n: name, v: value, u: this.#clock.now() + ttl }], answer: undefined }))
  }

  take(name: string): Promise<Json | undefined> {
    return this.#decide(() => {
      const fact = this.#living(name)
      return { lines: fact ? [{ n: name }] : [], answer: fact?.value }
    })
  }

  async add(name: string, n: number, ttl: number): Promise<number> {
    const [sum = n] = await this.addAll([{ name, n }], ttl)
    return sum
  }

  addAll(counts: readonly Count[], ttl: number): Promise<number[]> {
    return this.#decide(() => {
      const sums = counts.map(({ name, n }) => {
        const before = this.#living(name)
        const sum = (typeof before?.value === 'number' ? before.value : 0) + n
        return { n: name, v: sum, u: before?.until ?? this.#clock.now() + ttl }
      })
      return { lines: sums, answer: sums.map(({ v }) => v) }
    })
  }

  async peek(name: string): Promise<Json | undefined> {
    this.#catchUp()
    return this.#living(name)?.value
  }

  async *facts(): AsyncGenerator<Fact> {
    this.#catchUp()
    for (const name of [...this.#facts.keys()]) {
      const fact = this.#living(name)
      if (fact) yield fact
    }
  }

  async close(): Promise<void> {
    await this.#working
  }

  #decide<T>(decision: () => { lines: readonly Line[]; answer: T }): Promise<T> {
    return new Promise((resolve, reject) => {
      let answer: T
      const run = () => {
        const decided = decision()
        answer = decided.answer
        return decided.lines
      }
      this.#waiting.push({ run, done: () => resolve(answer), failed: reject })
      this.#working ??= this.#work()
    })
  }

  async #work(): Promise<void> {
    // Calls of one iteration of the event loop are decided together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const group = this.#waiting
      this.#waiting = []
      await this.#settle(group)
    }
    // In the same step as the last look at what waits, or a call in between would wait for ever.
    this.#working = undefined
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    try {
      const release = await this.#lock.acquire()
      try {
        await this.#append(group)
      } finally {
        release()
      }
      for (const { done } of group) done()
    } catch (error) {
      for (const { failed } of group) failed(error)
    }
  }

  async #append(group: readonly Waiting[]): Promise<void> {
    this.#catchUp()
    const lines: string[] = []
    for (const { run } of group) {
      for (const line of run()) {
        this.#apply(line)
        lines.push(JSON.stringify(line))
      }
    }
    if (lines.length === 0) return
    try {
      await this.#log.append(lines)
    } catch (error) {
      // What was decided is not in the file: what is in memory is read anew, from there.
      this.#log.rewind()
      throw error
    }
    if (this.#log.size > this.#enough) await this.#compact()
  }

  async #compact(): Promise<void> {
    const now = this.#clock.now()
    for (const [name, { until }] of this.#facts) if (until <= now) this.#facts.delete(name)
    const lines = [...this.#facts.values()].map(({ name, value, until }) => JSON.stringify({ n: name, v: value, u: until }))
    const size = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
    this.#enough = Math.max(COMPACT_BYTES, size * 2)
    if (size * 2 < this.#log.size) await this.#log.replace(lines)
  }

  #catchUp(): void {
    this.#log.read(
      () => this.#facts.clear(),
      (text) => {
        const line = parse(text)
        if (line) this.#apply(line)
      },
    )
  }

  #apply({ n, v, u }: Line): void {
    if (v === undefined || u === undefined) this.#facts.delete(n)
    else this.#facts.set(n, { name: n, value: v, until: u })
  }

  #living(name: string): Fact | undefined {
    const fact = this.#facts.get(name)
    return fact && fact.until > this.#clock.now() ? fact : undefined
  }
}

function parse(text: string): Line | undefined {
  try {
    const line = JSON.parse(text)
    return typeof line?.n === 'string' ? line : undefined
  } catch {
    return undefined
  }
}
