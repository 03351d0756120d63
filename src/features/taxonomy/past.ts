import type { Document } from '#core/document.ts'
import { keyOf } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { declaredTerms } from '#core/terms/tree.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { Conflict } from '#lib/errors.ts'
import type { Bases } from '../records/writing/bases.ts'
import type { TermInput } from './input.ts'
import type { TermView } from './schema.ts'
import type { TermCounts } from './term-counts.ts'

/** The dependencies of terms; `bases` keeps the versions that were lately read. */
export interface TermsDeps {
  readonly store: Store
  readonly types: ContentTypes
  readonly bases?: Bases
}

/** The values of a term that can be set; the name is not known of one that had no document. */
export interface TermValues {
  readonly name: string | undefined
  readonly slug: string
  readonly description: string | null
  readonly parent: string | null
}

/** Name for the version of a term without a document. */
export const IMPLIED = 'implied'

const FIELDS = ['name', 'slug', 'description', 'parent'] as const

/** The documents of terms as they were. */
export class PastTerms {
  readonly #deps: TermsDeps

  constructor(deps: TermsDeps) {
    this.#deps = deps
  }

  /** Takes a document that is what its term's is now. */
  remember(document: Document | undefined): void {
    if (document) this.#deps.bases?.remember(document)
  }

  /** The values of a term in a version of its document; undefined where that is not known any more. */
  async inVersion({ taxonomy, terms }: TermCounts, id: string, version: string): Promise<TermValues | undefined> {
    if (version === IMPLIED) return { name: undefined, slug: id, description: null, parent: null }
    const key = terms.get(id)?.heads[0].key ?? keyOf(`taxonomy/${taxonomy.name}`, id)
    const { store, bases } = this.#deps
    const document = bases?.find(key, version)?.document ?? (await inHistory(store, key, version))
    if (!document || document.problem?.severity === 'error') return undefined
    const term = declaredTerms(taxonomy, [document]).get(id)
    return term && { name: term.name, slug: id, description: term.description || null, parent: term.parent ?? null }
  }
}

/** Throws Conflict with the three sides where a change is of what others have changed since the version that it began from. */
export function mustNotMeet(now: TermView, { id, ...input }: TermInput, before: TermValues | undefined): void {
  const change = { ...input, ...(id !== undefined && { slug: id }) }
  const fields = FIELDS.filter((name) => name in change && change[name] !== now[name] && before?.[name] !== now[name])
  if (fields.length === 0) return
  const words = before
    ? `Others changed the same since you began: ${fields.join(', ')}.`
    : 'The version you began from is not known any more, and it has changed since.'
  const valuesOf = (side: Partial<Record<(typeof FIELDS)[number], string | null | undefined>>) =>
    Object.fromEntries(fields.map((name) => [name, side[name] ?? null]))
  throw new Conflict(words, {
    fields,
    base: before ? valuesOf(before) : null,
    yours: valuesOf(change),
    theirs: valuesOf(now),
  })
}

async function inHistory(store: Store, key: Document['key'], version: string): Promise<Document | undefined> {
  const revision = (await store.history(key, {}))?.items.find((one) => one.version === version)
  return revision && store.at(key, revision.number)
}
