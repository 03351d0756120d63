import type { Collection, ModuleStore, StoredItem } from '#module/module.ts'
import { type DaySums, readSums, sumOfSums, sumsOf, sumsText } from './day-sums.ts'
import { readTally, unionOf } from './tally.ts'

/** Documents that are read at once. */
const PAGE = 50

/** The names of the collections: parts of days that are counted, and days that are rolled up. */
export const COLLECTIONS = ['parts', 'days']

/** Days as they are kept: counted in parts, and rolled up into one document each when they are over. */
export class Archive {
  readonly #parts: Collection
  readonly #days: Collection

  constructor(store: ModuleStore) {
    this.#parts = store.collection('parts')
    this.#days = store.collection('days')
  }

  /** Yields the figures of the days from one to another that have any, in no order. */
  async *between(from: string, to: string): AsyncGenerator<DaySums> {
    const isWithin = (day: string) => from <= day && day <= to
    const parts = await this.#partsByDay(isWithin)
    for await (const item of documents(this.#days, from)) {
      if (!isWithin(item.id)) continue
      yield withParts(item, parts.get(item.id) ?? [])
      parts.delete(item.id)
    }
    for (const [day, items] of parts) yield sumsOf(day, tallyOf(items))
  }

  /** Makes one document of each day before `open`, without numbers of visitors, and forgets days before `first`. */
  async rollUp({ open, first }: { readonly open: string; readonly first: string }, signal: AbortSignal): Promise<void> {
    for (const [day, items] of await this.#partsByDay((day) => day < open)) {
      signal.throwIfAborted()
      await this.#settle(day, items)
    }
    for await (const { id } of documents(this.#days)) if (id < first) await this.#days.remove(id)
  }

  async #settle(day: string, items: readonly StoredItem[]): Promise<void> {
    const had = await this.#days.get(day)
    const isNew = items.some(({ id }) => !mergedOf(had).includes(id))
    // The parts are named, so that one which could not be removed any more is not counted twice.
    const merged = [...new Set([...mergedOf(had), ...items.map(({ id }) => id)])]
    const sums = had ? withParts(had, items) : sumsOf(day, tallyOf(items))
    if (isNew) await this.#days.put(day, { day, sums: sumsText(sums), merged }, had?.version ?? 'absent')
    for (const { id } of items) await this.#parts.remove(id)
  }

  async #partsByDay(isWanted: (day: string) => boolean): Promise<Map<string, StoredItem[]>> {
    const byDay = new Map<string, StoredItem[]>()
    for await (const item of documents(this.#parts)) {
      const day = String(item.fields.day)
      if (isWanted(day)) byDay.set(day, [...(byDay.get(day) ?? []), item])
    }
    return byDay
  }
}

function withParts(day: StoredItem, parts: readonly StoredItem[]): DaySums {
  const sums = readSums(day.id, String(day.fields.sums))
  const late = parts.filter(({ id }) => !mergedOf(day).includes(id))
  return late.length === 0 ? sums : sumOfSums(sums, sumsOf(day.id, tallyOf(late)))
}

function mergedOf(day: StoredItem | undefined): readonly string[] {
  return Array.isArray(day?.fields.merged) ? day.fields.merged.map(String) : []
}

function tallyOf(parts: readonly StoredItem[]) {
  return unionOf(parts.map(({ fields }) => readTally(String(fields.tally))))
}

/** Yields the documents of a collection, those since a day among them; each once, also where others are removed meanwhile. */
async function* documents(collection: Collection, from = ''): AsyncGenerator<StoredItem> {
  const seen = new Set<string>()
  const { total } = await collection.list({ limit: 1 })
  // From the end, where no removal moves what is to come.
  for (let end = total; end > 0; end -= PAGE) {
    const offset = Math.max(0, end - PAGE)
    const { items } = await collection.list({ sort: ['day'], offset, limit: end - offset })
    for (const item of items) {
      if (seen.has(item.id)) continue
      seen.add(item.id)
      yield item
    }
    if (String(items[0]?.fields.day) < from) return
  }
}
