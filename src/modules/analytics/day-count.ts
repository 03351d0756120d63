import { randomBytes } from 'node:crypto'
import type { Collection } from '#module/module.ts'
import { visitorOf } from './salts.ts'
import { DayBounds, type PageTally, pageOf, tallyText } from './tally.ts'

/** Approximate characters from which on a part is left as it is, and another begun: one that grows is written whole each time. */
const LONGEST_PART = 32 * 1024

/** Most visits that wait for the day's salt with what tells their visitors apart. More are counted without. */
const MOST_WAITING = 10_000

/** Approximate characters of a page, a host and a visitor in a part beside their names. */
const ROW = 12
const VISITOR = 8

/** A visit that counts. */
export interface Counted {
  readonly path: string
  /** The host it came from; an empty text for none. */
  readonly host: string
  /** The text by which its visitor is told from others. It stays in memory. */
  readonly identity: string
}

/** The dependencies of a day's count. */
export interface DayCountDeps {
  readonly day: string
  readonly parts: Collection
  readonly salt: () => Promise<string>
}

interface Part {
  readonly id: string
  readonly pages: Map<string, PageTally>
  size: number
  isChanged: boolean
}

/** The visits of a day that a node has counted, in parts that it alone writes. */
export class DayCount {
  readonly day: string
  /** A part of the names of what this one alone writes. */
  readonly #node = randomBytes(6).toString('hex')
  readonly #collection: Collection
  readonly #makeSalt: () => Promise<string>
  readonly #bounds = new DayBounds()
  #salt: string | undefined
  #salting: Promise<void> | undefined
  #waiting: Counted[] = []
  /** The last one grows. */
  readonly #parts: Part[] = []
  #begun = 0

  constructor({ day, parts, salt }: DayCountDeps) {
    this.day = day
    this.#collection = parts
    this.#makeSalt = salt
  }

  /** True where nothing is in memory alone. */
  get isKept(): boolean {
    return this.#waiting.length === 0 && this.#parts.every(({ isChanged }) => !isChanged)
  }

  add(visit: Counted): void {
    if (this.#salt !== undefined) this.#count(visit, visitorOf(this.#salt, visit.identity))
    else this.#wait(visit)
  }

  /** Writes the parts that have changed. Rejects where that can't be; nothing is lost then. */
  async keep(): Promise<void> {
    if (this.#waiting.length > 0) await this.#salted()
    for (const part of [...this.#parts]) {
      if (part.isChanged) await this.#write(part)
      if (!part.isChanged && part !== this.#parts.at(-1)) this.#parts.splice(this.#parts.indexOf(part), 1)
    }
  }

  #wait(visit: Counted): void {
    if (this.#waiting.length >= MOST_WAITING) this.#count(visit, undefined)
    else this.#waiting.push(visit)
    // Where it fails, it is tried again with each keeping, and whoever keeps is told.
    if (this.#waiting.length === 1) this.#salted().catch(() => undefined)
  }

  #salted(): Promise<void> {
    this.#salting ??= this.#makeSalt()
      .then((salt) => {
        this.#salt = salt
        for (const visit of this.#waiting) this.add(visit)
        this.#waiting = []
      })
      .finally(() => {
        this.#salting = undefined
      })
    return this.#salting
  }

  #count(visit: Counted, visitor: number | undefined): void {
    const { path, host, isNew } = this.#bounds.admit(visit.path, visit.host, visitor)
    const part = this.#growing()
    const page = part.pages.get(path) ?? this.#begin(part, path)
    if (!page.views.has(host)) part.size += host.length + ROW
    page.views.set(host, (page.views.get(host) ?? 0) + 1)
    if (isNew && visitor !== undefined) {
      page.visitors.add(visitor)
      part.size += VISITOR
    }
    part.isChanged = true
  }

  #begin(part: Part, path: string): PageTally {
    part.size += path.length + ROW
    return pageOf(part.pages, path)
  }

  #growing(): Part {
    const last = this.#parts.at(-1)
    if (last && last.size < LONGEST_PART) return last
    const part: Part = { id: `${this.day}-${this.#node}-${this.#begun++}`, pages: new Map(), size: 0, isChanged: false }
    this.#parts.push(part)
    return part
  }

  async #write(part: Part): Promise<void> {
    part.isChanged = false
    const tally = tallyText({ level: this.#bounds.level, pages: part.pages })
    try {
      await this.#collection.put(part.id, { day: this.day, tally })
    } catch (error) {
      part.isChanged = true
      throw error
    }
  }
}
