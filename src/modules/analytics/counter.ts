import type { ModuleContext, Visit } from '#module/module.ts'
import { DayCount } from './day-count.ts'
import { Calendar } from './days.ts'
import { identityOf, saltOf } from './salts.ts'
import { pathOf, VisitRules } from './visits.ts'

/** Milliseconds after which counted visits are kept: as many are lost at most where the process is killed. */
const KEPT_EVERY = 5000

/** Number of visits that are counted together: between other work of a server each takes longer. */
const TOGETHER = 256

/** Counts visits in memory, and keeps them in parts of days that no other node writes. */
export class Counter {
  readonly #context: ModuleContext
  readonly #rules: VisitRules
  readonly #calendar: Calendar
  readonly #days = new Map<string, DayCount>()
  #heard: Visit[] = []
  #timer: NodeJS.Timeout | undefined
  #keeping: Promise<void> = Promise.resolve()
  #isFailing = false

  constructor(context: ModuleContext, ignore: readonly string[]) {
    this.#context = context
    this.#rules = new VisitRules(ignore, context.site.url)
    this.#calendar = new Calendar(context.site.timezone)
  }

  /** Counts a visit, where it counts: soon, and before anything is kept. */
  visited(visit: Visit): void {
    this.#heard.push(visit)
    if (this.#heard.length >= TOGETHER) this.#count()
    this.#timer ??= setInterval(() => void this.keep(), KEPT_EVERY).unref()
  }

  /** Resolves when all visits so far are kept, or could not be: they are tried again with those to come. Never rejects. */
  keep(): Promise<void> {
    this.#count()
    this.#keeping = this.#keeping.then(() => this.#keep())
    return this.#keeping
  }

  /** Keeps what is in memory, and ends. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.keep()
  }

  #count(): void {
    const visits = this.#heard
    this.#heard = []
    for (const visit of visits) {
      if (!this.#rules.counts(visit)) continue
      const day = this.#dayOf(this.#calendar.dayOf(visit.at))
      day.add({ path: pathOf(visit.path), host: this.#rules.referrerOf(visit), identity: identityOf(visit) })
    }
  }

  #dayOf(name: string): DayCount {
    const found = this.#days.get(name)
    if (found) return found
    const { store } = this.#context
    const made = new DayCount({
      day: name,
      parts: store.collection('parts'),
      salt: () => saltOf(store.facts, name),
    })
    this.#days.set(name, made)
    return made
  }

  async #keep(): Promise<void> {
    const today = this.#calendar.dayOf(this.#context.now())
    for (const day of [...this.#days.values()]) {
      try {
        await day.keep()
        this.#isFailing = false
      } catch (error) {
        if (!this.#isFailing) this.#context.log.error('Visits could not be kept. They are tried again every few seconds.', error)
        this.#isFailing = true
      }
      // With a day that is over its salt is forgotten, too.
      if (day.day !== today && day.isKept) this.#days.delete(day.day)
    }
    if (this.#days.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
