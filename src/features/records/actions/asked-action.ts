import type { Document } from '#core/document.ts'
import { namedTerms } from '#core/format/values.ts'
import type { Store } from '#core/store.ts'
import { declaredTerms, synonymsOf } from '#core/terms/tree.ts'
import type { ContentType, Taxonomy } from '#core/types/content-type.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { nearest } from '#lib/text/nearest.ts'
import { composed } from '#lib/text/normal-form.ts'

/** An action on several records, as a request says it. */
export interface ActionInput {
  readonly ids: readonly string[]
  readonly set?: Fields
  readonly add?: Fields
  readonly remove?: Fields
  readonly delete?: true
}

const ACTIONS = ['set', 'add', 'remove', 'delete'] as const

/** The name of an action. */
export type ActionName = (typeof ACTIONS)[number]

/** The most bytes that may be set on all records together. */
const MOST_BYTES = 8 * 1024 * 1024

/** Returns the one action that is asked for; throws InvalidInput for none or several, too much, and ids that come twice. */
export function actionNamed(input: ActionInput): ActionName {
  const [name, second] = ACTIONS.filter((one) => input[one] !== undefined)
  if (!name) throw new InvalidInput({ set: ['Say what is to be done: set, add, remove or delete.'] })
  if (second) throw new InvalidInput({ [second]: [`Only one thing is done at once: ${name} or ${second}.`] })
  const seen = new Set<string>()
  for (const id of input.ids.map(composed)) {
    if (seen.has(id)) throw new InvalidInput({ ids: [`The ids have "${id}" twice.`] })
    seen.add(id)
  }
  if (Buffer.byteLength(JSON.stringify(input[name])) * input.ids.length > MOST_BYTES) {
    throw new InvalidInput({ [name]: ['This is more than 8 MiB for all records together: change fewer at once.'] })
  }
  return name
}

/** Returns what is sent to a record for the action; throws InvalidInput where it can't be sent to several. */
export type InputFor = (document: Document) => Fields

/** Reads a change of records of a type; throws InvalidInput where the type has no such terms. */
export async function inputOf(type: ContentType, input: ActionInput, name: ActionName, store: Store): Promise<InputFor> {
  if (name !== 'add' && name !== 'remove') return setting(input.set ?? {}, input.ids.length)
  const changes: TermsChange[] = []
  for (const [taxonomy, value] of Object.entries(input[name] ?? {})) {
    changes.push({ taxonomy, words: await wordsOf(taxonomyOf(type, name, taxonomy), value, store) })
  }
  const listed = name === 'add' ? withTerms : withoutTerms
  return ({ fields }) => {
    const lists = changes.map(({ taxonomy, words }) => [taxonomy, listed([fields[taxonomy] ?? []].flat(), words)])
    return Object.fromEntries(lists) as Fields
  }
}

/** The fields of which two records can't have the same value: it says where the page is. */
const OF_ONE = ['slug', 'permalink', 'aliases'] as const

function setting(fields: Fields, count: number): InputFor {
  const shared = count === 1 ? [] : OF_ONE.filter((name) => isAddress(fields[name] ?? null))
  const errors = shared.map((name) => [name, [`The ${name} can't be the same for several records: set it one by one.`]])
  return () => {
    if (errors.length > 0) throw new InvalidInput(Object.fromEntries(errors))
    return fields
  }
}

function isAddress(value: Json): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== null && value !== false
}

/** The words to be added to the terms of a taxonomy, or taken out of them, by the ids of the terms that they mean. */
interface TermsChange {
  readonly taxonomy: string
  readonly words: ReadonlyMap<string, string>
}

function taxonomyOf(type: ContentType, action: ActionName, name: string): Taxonomy {
  const found = type.taxonomies.find((taxonomy) => taxonomy.name === name)
  if (found) return found
  const known = type.taxonomies.map((taxonomy) => taxonomy.name)
  const near = nearest(name, known)
  const hint = near ? ` Did you mean "${near}"?` : known.length > 0 ? ` It has ${known.join(', ')}.` : ''
  throw new InvalidInput({ [action]: [`The type ${type.name} has no terms called "${name}".${hint}`] })
}

/** A name or a former one of a declared term stands for its id; any other is written as it is sent. */
async function wordsOf(taxonomy: Taxonomy, value: Json, store: Store): Promise<Map<string, string>> {
  const { items } = await store.heads(`taxonomy/${taxonomy.name}`, {})
  const synonyms = synonymsOf(declaredTerms(taxonomy, items))
  const words = new Map<string, string>()
  for (const [said, spelled] of namedTerms(value)) {
    const id = synonyms.get(said)
    words.set(id ?? said, id ?? spelled)
  }
  return words
}

function withTerms(held: readonly Json[], words: ReadonlyMap<string, string>): Json[] {
  const known = new Set(held)
  return [...held, ...[...words].flatMap(([id, word]) => (known.has(id) ? [] : [word]))]
}

function withoutTerms(held: readonly Json[], words: ReadonlyMap<string, string>): Json[] {
  return held.filter((id) => !words.has(String(id)))
}
