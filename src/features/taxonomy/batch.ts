import type { Head } from '#core/document.ts'
import { type Key, keyOf, keyText } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import { childrenOf, type DeclaredTerm, type DeclaredTerms, lineage } from '#core/terms/tree.ts'
import type { ContentType, Taxonomy } from '#core/types/content-type.ts'
import type { Fields, Json } from '#lib/json.ts'

/** The planned change of one document, collected from everything that affects it. */
interface Step {
  readonly key: Key
  readonly set: Fields
  readonly expects: string
  readonly from?: Key
}

/**
 * The changes of documents that one change of a taxonomy makes, to be written as one: documents of terms, and every record that
 * uses one of them, also those that the caller may not see. Each is expected to be in the version that was read.
 */
export class Batch {
  readonly #taxonomy: Taxonomy
  readonly #terms: DeclaredTerms
  readonly #steps = new Map<string, Step>()
  readonly #removals: Change[] = []

  constructor(taxonomy: Taxonomy, terms: DeclaredTerms) {
    this.#taxonomy = taxonomy
    this.#terms = terms
  }

  /** Returns all changes, with removals last. */
  changes(): Change[] {
    const puts = [...this.#steps.values()].map(({ set, ...step }) => ({ ...step, put: { set } }))
    return [...puts, ...this.#removals]
  }

  /** Gives a term a document. */
  declare(id: string, set: Fields): void {
    this.#put(keyOf(`taxonomy/${this.#taxonomy.name}`, id), set, 'absent')
  }

  /** Changes what a term's document says; with `id`, its address too. */
  change(term: DeclaredTerm, set: Fields, id = term.id): void {
    const [{ key, version }] = term.heads
    if (id === term.id) this.#put(key, set, version)
    else this.#put(keyOf(key.kind, id), set, version, key)
  }

  /** Takes away all documents of a term. */
  remove({ heads }: DeclaredTerm): void {
    for (const { key, version } of heads) this.#removals.push({ key, remove: true, expects: version })
  }

  /** Puts the terms right below one elsewhere: `toOf` says below which, undefined below none. */
  moveChildren(id: string, toOf: (child: string) => string | undefined): void {
    for (const child of childrenOf(this.#terms).get(id) ?? []) {
      const term = this.#terms.get(child)
      if (term) this.change(term, { parent: toOf(child) ?? null })
    }
  }

  /** Holds a term and those above it to what they are now: together they must still make no circle when all is written. */
  holdLine(id: string): void {
    for (const one of lineage(id, this.#terms)) {
      const head = this.#terms.get(one)?.heads[0]
      if (head && !this.#steps.has(keyText(head.key))) this.#put(head.key, {}, head.version)
    }
  }

  /** Replaces a term by another, or by none, in every record that uses it. */
  async replace(store: Store, types: readonly ContentType[], id: string, by: string | undefined): Promise<void> {
    const field = this.#taxonomy.name
    const where = [{ field, op: 'eq' as const, value: id, as: 'text' as const }]
    for (const type of types) {
      const { items } = await store.heads(type.name, { where })
      for (const head of items) this.#put(head.key, { [field]: withoutDoubles(head, field, id, by) }, head.version)
    }
  }

  #put(key: Key, set: Fields, expects: string, from?: Key): void {
    const text = keyText(key)
    const known = this.#steps.get(text)
    this.#steps.set(text, { key, set: { ...known?.set, ...set }, expects, ...(from && { from }) })
  }
}

function withoutDoubles({ fields }: Head, field: string, id: string, by: string | undefined): Json[] {
  const used = fields[field]
  const ids = (Array.isArray(used) ? used : []).flatMap((one) => (one === id ? (by ?? []) : one))
  return [...new Set(ids)]
}
