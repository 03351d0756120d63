import { hidingKeys } from '#frontmatter/hiding-words.ts'
import type { Fields, Json } from '#lib/json.ts'
import { lowerKeys, objectOf, textsOf } from '../folder.ts'

/** Matches the day that the name of a file, or of the folder of a page, begins with. */
const DATED = /(?:^|\/)(\d{4}-\d\d-\d\d)(?:[^/]*|[^/]*\/index\.[^/]*)$/

/** The names that a configuration gives to the dates of pages (`frontmatter`), as far as these may hide one. */
export class HugoDates {
  readonly #from: readonly string[]
  readonly #until: readonly string[]

  constructor(configured: Json | undefined) {
    const { date, publishdate, expirydate } = lowerKeys(objectOf(configured))
    const namesOf = (...lists: (Json | undefined)[]) => lists.flatMap((list) => textsOf(list).map((name) => name.toLowerCase()))
    this.#from = namesOf(date, publishdate)
    this.#until = namesOf(expirydate)
  }

  /** Names what keeps the page of a file from the public at `now`: keys of its front matter, or the day in its name. */
  hiding(path: string, data: Readonly<Fields>, now: number): string[] {
    const said = lowerKeys(data)
    const [, day] = DATED.exec(path) ?? []
    const isToCome = (value: Json | undefined) => hidingKeys({ publishdate: value ?? null }, now).length > 0
    const isOver = (value: Json | undefined) => hidingKeys({ expirydate: value ?? null }, now).length > 0
    return [
      ...this.#from.filter((name) => isToCome(name === ':filename' ? day : said[name])),
      ...this.#until.filter((name) => isOver(said[name])),
    ]
  }
}
