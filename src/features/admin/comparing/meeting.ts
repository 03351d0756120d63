import { isDeepStrictEqual } from 'node:util'
import { type TextPart, textParts } from '#frontmatter/merge.ts'
import type { Fields, Json } from '#lib/json.ts'

/** A place where two edits meet: a field, or a part of the body. */
export interface Place {
  /** The field. */
  readonly name: string
  /** The number of the part among those of the body. */
  readonly part?: number
  /** Its content before both; undefined where that is not known any more. */
  readonly before: Json | undefined
  readonly yours: Json
  readonly theirs: Json
}

/** The answer to a place: a side of it, or a value in the place of both; undefined as long as there is none. */
export type Choice = { readonly is: 'mine' | 'theirs' } | { readonly is: 'own'; readonly value: Json } | undefined

/** The two edits: the values before them (undefined where not known), those that one sets, and all that the other left. */
export interface Edits {
  readonly before: Readonly<Fields> | undefined
  readonly set: Readonly<Fields>
  readonly theirs: Readonly<Fields>
  /** Names of fields that are known to meet. */
  readonly named: readonly string[]
}

/** Two edits that began from one version: where they meet, and what comes of them once each such place has an answer. */
export class Meeting {
  readonly places: readonly Place[]
  /** The parts of the body, where both edits are of it. */
  readonly parts: readonly TextPart[] | undefined
  readonly #edits: Edits

  constructor(edits: Edits) {
    this.#edits = edits
    const { before, set, theirs, named } = edits
    const meet = Object.keys(set).filter((name) => named.includes(name) || doMeet(edits, name))
    const [body, now] = [set.body, theirs.body]
    const isText = meet.includes('body') && typeof body === 'string' && typeof now === 'string'
    this.parts = isText ? textParts(before && String(before.body ?? ''), body, now) : undefined
    const fields = meet.filter((name) => name !== 'body' || !this.parts)
    this.places = [
      ...fields.map((name) => ({
        name,
        before: before && (before[name] ?? null),
        yours: set[name] ?? null,
        theirs: theirs[name] ?? null,
      })),
      ...(this.parts ?? []).flatMap((part, n) =>
        'merged' in part ? [] : [{ name: 'body', part: n, ...part, before: before && part.before }],
      ),
    ]
  }

  /** The fields that only one of the two changed. */
  get apart(): { readonly yours: readonly string[]; readonly theirs: readonly string[] } {
    const { before, set, theirs } = this.#edits
    const met = new Set(this.places.map(({ name }) => name))
    const isOurs = (name: string) => !met.has(name) && !isSame(set[name], theirs[name])
    const isTheirs = (name: string) => !(name in set) && !MADE.has(name) && before && !isSame(before[name], theirs[name])
    return { yours: Object.keys(set).filter(isOurs), theirs: Object.keys(theirs).filter(isTheirs) }
  }

  /** Returns what is to be set over the other's edit by these answers, and the places that have none. */
  settled(choiceOf: (place: Place) => Choice): { readonly set: Fields; readonly open: readonly Place[] } {
    const set: Fields = { ...this.#edits.set }
    const texts = (this.parts ?? []).map((part) => ('merged' in part ? part.merged : ''))
    const open: Place[] = []
    for (const place of this.places) {
      const choice = choiceOf(place)
      if (!choice) open.push(place)
      else if (place.part !== undefined) texts[place.part] = String(answerTo(place, choice) ?? '')
      else if (choice.is === 'theirs') delete set[place.name]
      else set[place.name] = answerTo(place, choice)
    }
    if (this.parts) set.body = texts.join('')
    for (const [name, value] of Object.entries(set)) if (isSame(value, this.#edits.theirs[name])) delete set[name]
    return { set, open }
  }
}

/** Fields that nobody sets. */
const MADE: ReadonlySet<string> = new Set(['id', 'type', 'url', 'version', 'created_at', 'updated_at'])

function answerTo({ yours, theirs }: Place, choice: NonNullable<Choice>): Json {
  if (choice.is === 'own') return choice.value
  return choice.is === 'mine' ? yours : theirs
}

function doMeet({ before, set, theirs }: Edits, name: string): boolean {
  if (isSame(set[name], theirs[name])) return false
  if (!before) return true
  const isTheirs = !isSame(before[name], theirs[name])
  return isTheirs && !isSame(before[name], set[name])
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return isDeepStrictEqual(one ?? null, other ?? null)
}
