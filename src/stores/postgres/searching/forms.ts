import { sql } from 'kysely'
import { WordList } from '#fulltext/word-list.ts'
import type { Database } from '../database.ts'

/** Number of forms that are requested at once. */
const AT_ONCE = 20_000

/** Number of new forms since all were read from which on, in addition to a share of these, all are read anew. */
const LEAST_RECENT = 2_000
const SHARE_RECENT = 0.1

/** The forms of an index, as this node knows them: all that there are, and maybe some that no document has any more. */
export class Forms {
  readonly #database: Database
  #edition: number | undefined
  #sequence = -1
  #nth = 0
  #all = WordList.of([])
  #recent = WordList.of([])
  #updating: Promise<void> = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  /** Takes in what has come to an index until the sequence that it is at now. */
  async update(edition: number, sequence: number): Promise<void> {
    const update = this.#updating.catch(() => undefined).then(() => this.#update(edition, sequence))
    this.#updating = update
    return update
  }

  /** The forms that begin with `prefix`, the shorter ones first, then by code point. */
  beginning(prefix: string): string[] {
    const found = [this.#all, this.#recent].flatMap((list) => {
      const { from, to } = list.beginning(prefix)
      return Array.from({ length: to - from }, (_, nth) => list.word(from + nth))
    })
    return inOrder(found.map((form) => ({ form, distance: 0 })))
  }

  /** The forms within so many edits of a word, the nearer ones first, then the shorter ones, then by code point. */
  near(word: string, edits: 1 | 2): string[] {
    const found = [this.#all, this.#recent].flatMap((list) =>
      list.near(word, edits).map(({ index, distance }) => ({ form: list.word(index), distance })),
    )
    return inOrder(found)
  }

  async #update(edition: number, sequence: number): Promise<void> {
    if (edition === this.#edition && sequence === this.#sequence) return
    if (edition !== this.#edition) await this.#readAll(edition)
    else await this.#readRecent(edition)
    this.#edition = edition
    this.#sequence = sequence
  }

  /** In their order, as the database has it: that of their bytes. */
  async #readAll(edition: number): Promise<void> {
    const nth = await this.#database.read((db) =>
      sql<{ nth: number }>`select coalesce(max(nth), 0) as nth from search_forms where edition = ${edition}`.execute(db),
    )
    const parts: Buffer[] = []
    const ends: number[] = []
    let end = 0
    for (let last: string | undefined = ''; last !== undefined; ) {
      const forms = await this.#formsAfter(edition, last)
      for (const form of forms) {
        end += Buffer.byteLength(form)
        ends.push(end)
      }
      parts.push(Buffer.from(forms.join('')))
      last = forms.at(-1)
    }
    this.#all = new WordList(Buffer.concat(parts), Uint32Array.from(ends))
    this.#recent = WordList.of([])
    this.#nth = nth.rows[0]?.nth ?? 0
  }

  async #formsAfter(edition: number, last: string): Promise<string[]> {
    const { rows } = await this.#database.read((db) =>
      sql<{ form: string }>`select form from search_forms where edition = ${edition} and form > ${last}
        order by form limit ${AT_ONCE}`.execute(db),
    )
    return rows.map(({ form }) => form)
  }

  async #readRecent(edition: number): Promise<void> {
    const most = LEAST_RECENT + Math.floor(SHARE_RECENT * this.#all.length)
    const { rows } = await this.#database.read((db) =>
      sql<{ form: string; nth: number }>`select form, nth from search_forms where edition = ${edition} and nth > ${this.#nth}
        order by nth limit ${most}`.execute(db),
    )
    if (rows.length + this.#recent.length >= most) return this.#readAll(edition)
    const last = rows.at(-1)
    if (!last) return
    const known = Array.from({ length: this.#recent.length }, (_, nth) => this.#recent.word(nth))
    this.#recent = WordList.of([...known, ...rows.map(({ form }) => form)])
    this.#nth = last.nth
  }
}

function inOrder(found: readonly { readonly form: string; readonly distance: number }[]): string[] {
  const distances = new Map(found.map(({ form, distance }) => [form, distance]))
  const keys = [...distances].map(([form, distance]) => ({ form, distance, length: lengthOf(form), bytes: Buffer.from(form) }))
  keys.sort((a, b) => a.distance - b.distance || a.length - b.length || Buffer.compare(a.bytes, b.bytes))
  return keys.map(({ form }) => form)
}

function lengthOf(form: string): number {
  let length = 0
  for (const _ of form) length++
  return length
}
