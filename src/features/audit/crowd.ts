import { type AuditLog, newEntryId } from '#core/audit-log.ts'
import type { Clock } from '#lib/clock.ts'
import type { NewEntry } from './entries.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Most entries that are kept one by one: in a minute of one who causes them, in a minute of all, in a day of all. */
const OF_ONE = 10
const OF_ALL = 30
const IN_A_DAY = 5_000
/** Most of those that are counted by themselves in a minute; the rest are counted together. */
const COUNTED = 5

interface Counted {
  readonly entry: NewEntry
  count: number
}

/**
 * Keeps entries that somebody may cause without a right to: the first of a minute one by one, before they are answered, and the
 * number of the others in one entry at its end. So no flood of them fills the disk, 2 MB a day for a process at the most.
 */
export class Crowd {
  readonly #log: AuditLog
  readonly #clock: Clock
  #minute = 0
  #day = 0
  #inMinute = 0
  #inDay = 0
  #single = new Map<string, number>()
  #counted = new Map<string, Counted>()
  #timer: NodeJS.Timeout | undefined

  constructor({ log, clock }: { log: AuditLog; clock: Clock }) {
    this.#log = log
    this.#clock = clock
  }

  /** Keeps an entry that `who` causes: by itself, made by `entry`, where there were few; else it counts. */
  async keep(who: string, bare: NewEntry, entry: () => Promise<NewEntry>): Promise<void> {
    await this.#turn()
    const before = this.#single.get(who) ?? 0
    if (before < OF_ONE && this.#inMinute < OF_ALL && this.#inDay < IN_A_DAY) {
      this.#single.set(who, before + 1)
      this.#inMinute++
      this.#inDay++
      await this.#log.append([{ id: newEntryId(), ...(await entry()) }])
      return
    }
    const isKnown = this.#counted.has(who)
    const name = isKnown || (this.#counted.size < COUNTED && this.#inDay < IN_A_DAY) ? who : ''
    const counted = this.#counted.get(name)
    if (counted) counted.count++
    else this.#counted.set(name, { entry: name === '' ? { ...bare, ip: null, via: null, target: null } : bare, count: 1 })
    this.#timer ??= setTimeout(() => void this.#flush().catch(() => undefined), MINUTE_MS).unref()
  }

  /** Keeps what was counted. */
  async close(): Promise<void> {
    await this.#flush()
  }

  /** Begins a new minute, or day, where it is one. */
  async #turn(): Promise<void> {
    const now = this.#clock.now()
    const [minute, day] = [Math.floor(now / MINUTE_MS), Math.floor(now / DAY_MS)]
    if (day !== this.#day) this.#inDay = 0
    this.#day = day
    if (minute === this.#minute) return
    this.#minute = minute
    this.#inMinute = 0
    this.#single = new Map()
    await this.#flush()
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const counted = [...this.#counted.values()]
    this.#counted = new Map()
    await this.#log.append(
      counted.map(({ entry, count }) => ({
        id: newEntryId(),
        ...entry,
        request_id: count > 1 ? null : entry.request_id,
        ...(count > 1 && { count }),
      })),
    )
  }
}
