import type { Count, Fact, Ledger } from '#core/ledger.ts'
import type { Clock } from '#lib/clock.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { GroupCommit } from '#stores/engine/group-commit.ts'
import { FileLock } from '../disk/lock.ts'
import { type NewLine, otherFile, type Place, RecordLog } from './record-log.ts'

/** A fact as a line of the log has it: name, value, and the instant its life ends; no value for one that was taken. */
interface Line {
  n: string
  v?: Json
  u?: number
}

/** A fact as memory has it. The value of a long line is in the file alone, once it is there. */
interface Kept {
  readonly until: number
  value: Json | undefined
  readonly place: Place
}

/** Decides a call from the facts as they are then: the lines to be kept, and its answer. */
type Decision<T> = () => { readonly lines: readonly Line[]; readonly answer: T }

/** Below this size the log is not worth making shorter. */
const COMPACT_BYTES = 256 * 1024

/** Milliseconds after the end of a fact at which its line is taken out of a log of any size: nobody is to find it there. */
const SWEPT_AFTER = 3_600_000

/** A line with more bytes is long: what memory needs must not depend on the answers that are kept for a day. */
const LONG_BYTES = 2 * 1024

/**
 * A ledger in a file of lines, each a fact or the end of one; the facts are kept in memory too, without long values. Calls that
 * come together share one lock, one append and one wait for the disk. Safe among processes: what others appended is read before
 * anything is decided.
 */
export class FilesLedger implements Ledger {
  readonly #clock: Clock
  readonly #admit: () => void
  readonly #log: RecordLog
  readonly #lock: FileLock
  readonly #facts = new Map<string, Kept>()
  /** Size at which the log is examined again, in bytes: to find out how much of it is live takes time with all of it. */
  #enough = COMPACT_BYTES
  /** The time from which on lines that ended long ago are looked for. */
  #sweepAt = 0
  readonly #queue = new GroupCommit<Decision<unknown>, unknown>({ commit: (group) => this.#commit(group) })

  /**
   * Opens the ledger at `file`; the file and its folder are made when something is to be kept. `admit` throws Unavailable, then
   * and later, where the file may be another's.
   */
  static async open(file: string, clock: Clock, admit: () => void = () => undefined): Promise<FilesLedger> {
    const ledger = new FilesLedger(file, clock, admit)
    try {
      ledger.#catchUp()
    } catch (error) {
      // Whoever needs it is told.
      if (!(error instanceof Unavailable)) throw error
    }
    return ledger
  }

  private constructor(file: string, clock: Clock, admit: () => void) {
    this.#clock = clock
    this.#admit = admit
    this.#log = new RecordLog(file)
    this.#lock = new FileLock(`${file}.lock`)
  }

  put(name: string, value: Json, ttl: number): Promise<void> {
    return this.#decide(() => ({ lines: [{ n: name, v: value, u: this.#clock.now() + ttl }], answer: undefined }))
  }

  take(name: string): Promise<Json | undefined> {
    return this.#decide(() => {
      const fact = this.#factOf(name)
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
        const before = this.#factOf(name)
        const sum = (typeof before?.value === 'number' ? before.value : 0) + n
        return { n: name, v: sum, u: before?.until ?? this.#clock.now() + ttl }
      })
      return { lines: sums, answer: sums.map(({ v }) => v) }
    })
  }

  async peek(name: string): Promise<Json | undefined> {
    this.#catchUp()
    return this.#look(name)?.value
  }

  async *facts(): AsyncGenerator<Fact> {
    this.#catchUp()
    for (const name of [...this.#facts.keys()]) {
      const fact = this.#look(name)
      if (fact) yield fact
    }
  }

  async close(): Promise<void> {
    await this.#queue.idle()
  }

  #decide<T>(decision: Decision<T>): Promise<T> {
    return this.#queue.add(decision) as Promise<T>
  }

  async #commit(group: readonly Decision<unknown>[]): Promise<(() => unknown)[]> {
    const release = await this.#lock.acquire()
    const answers = await this.#append(group).finally(release)
    return answers.map((answer) => () => answer)
  }

  async #append(group: readonly Decision<unknown>[]): Promise<unknown[]> {
    this.#catchUp()
    const kept: Kept[] = []
    const answers: unknown[] = []
    try {
      const lines = this.#decided(group, kept, answers)
      if (lines.length === 0) return answers
      await this.#log.append(lines)
    } catch (error) {
      // What was decided is not in the file: what is in memory is read anew, from there.
      this.#log.rewind()
      throw error
    }
    for (const fact of kept) if (isLong(fact.place)) fact.value = undefined
    const isDue = this.#hasEndedLongAgo()
    if (this.#log.size <= this.#enough && !isDue) return answers
    // The lines are on the disk, whatever becomes of this: where it fails, as on a full disk, the log just stays long for now.
    await this.#compact(isDue).catch(() => {
      this.#enough = this.#log.size * 2
    })
    return answers
  }

  #decided(group: readonly Decision<unknown>[], kept: Kept[], answers: unknown[]): NewLine[] {
    const lines: NewLine[] = []
    for (const decide of group) {
      const decided = decide()
      answers.push(decided.answer)
      for (const line of decided.lines) {
        const text = JSON.stringify(line)
        const place = { offset: 0, length: Buffer.byteLength(text) }
        lines.push({ text, place })
        // A later decision of the group may depend on it, so that it is in memory until it is in the file.
        const fact = this.#apply(line, place)
        if (fact) kept.push(fact)
      }
    }
    return lines
  }

  /** Looks at all facts once in a while. */
  #hasEndedLongAgo(): boolean {
    const now = this.#clock.now()
    if (now < this.#sweepAt) return false
    this.#sweepAt = now + SWEPT_AFTER
    for (const { until } of this.#facts.values()) if (until + SWEPT_AFTER <= now) return true
    return false
  }

  async #compact(isDue: boolean): Promise<void> {
    const now = this.#clock.now()
    const live = [...this.#facts].filter(([, { until }]) => until > now)
    const places = live.map(([, { place }]) => place)
    const size = places.reduce((sum, { length }) => sum + length + 1, 0)
    this.#enough = Math.max(COMPACT_BYTES, size * 2)
    if (!isDue && size * 2 >= this.#log.size) return
    for (const [name, { until }] of this.#facts) if (until <= now) this.#facts.delete(name)
    await this.#log.replace(places)
  }

  #catchUp(): void {
    this.#admit()
    this.#log.read(
      () => this.#facts.clear(),
      (text, place) => {
        const line = parse(text)
        const fact = line && this.#apply(line, place)
        if (fact && isLong(place)) fact.value = undefined
      },
    )
  }

  #apply({ n, v, u }: Line, place: Place): Kept | undefined {
    if (v === undefined || u === undefined) {
      this.#facts.delete(n)
      return undefined
    }
    const fact: Kept = { value: v, until: u, place }
    this.#facts.set(n, fact)
    return fact
  }

  /** Reads a fact outside of a decision: where another process has replaced the file since it was read, it is read anew. */
  #look(name: string): Fact | undefined {
    try {
      return this.#factOf(name)
    } catch {
      this.#catchUp()
      return this.#factOf(name)
    }
  }

  /** Throws where the file is no longer the one that was read: a decision can't go on then. */
  #factOf(name: string): Fact | undefined {
    const fact = this.#facts.get(name)
    if (!fact || fact.until <= this.#clock.now()) return undefined
    const value = fact.value === undefined ? this.#valueAt(name, fact.place) : fact.value
    return { name, value, until: fact.until }
  }

  #valueAt(name: string, place: Place): Json {
    const line = parse(this.#log.textAt(place) ?? '')
    if (line?.n === name && line.v !== undefined) return line.v
    this.#log.rewind()
    throw otherFile()
  }
}

function isLong({ length }: Place): boolean {
  return length > LONG_BYTES
}

function parse(text: string): Line | undefined {
  try {
    const line = JSON.parse(text)
    return typeof line?.n === 'string' ? line : undefined
  } catch {
    return undefined
  }
}
