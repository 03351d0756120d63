import type { Json } from '#lib/json.ts'
import { compareText } from '#lib/text/compare.ts'
import { MOST_ALIASES } from '../aliases.ts'
import type { Head } from '../document.ts'
import type { Taxonomy } from '../types/content-type.ts'
import { termId } from './terms.ts'

/** Maximum number of levels that terms nest. Deeper terms are only known to their nearest ancestors. Files may nest deeper. */
export const MOST_LEVELS = 32

/** A term as its document declares it. */
export interface DeclaredTerm {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The id of the term above it; only in a hierarchical taxonomy. */
  readonly parent: string | undefined
  /** Ids it had before, and those of terms that were merged into it: addresses of their pages lead to its own. */
  readonly aliases: readonly string[]
  /** Its document; after it, ignored ones that declare the same term (`Front matter.yaml` beside `front-matter.yaml`). */
  readonly heads: readonly [Head, ...Head[]]
}

/** The terms of one taxonomy by id. */
export type DeclaredTerms = ReadonlyMap<string, DeclaredTerm>

/** The terms that a taxonomy's documents declare. A document is of the term that records mean by its id. */
export function declaredTerms(taxonomy: Pick<Taxonomy, 'hierarchical'>, heads: readonly Head[]): Map<string, DeclaredTerm> {
  const byId = new Map<string, [Head, ...Head[]]>()
  for (const head of heads) {
    const id = termId(head.key.id)
    const others = byId.get(id)
    if (id === '') continue
    if (!others) byId.set(id, [head])
    else if (head.key.id === id) others.unshift(head)
    else others.push(head)
  }
  const terms = new Map([...byId].map(([id, found]) => [id, termOf(taxonomy, id, found)]))
  return withParents(terms)
}

/** The terms with the ids of their parents: a document may say one by its name. */
function withParents(terms: Map<string, DeclaredTerm>): Map<string, DeclaredTerm> {
  const synonyms = synonymsOf(terms)
  for (const [id, term] of terms) {
    const parent = term.parent === undefined ? undefined : synonyms.get(term.parent)
    if (parent !== undefined) terms.set(id, { ...term, parent: parent === id ? undefined : parent })
  }
  return terms
}

/** Alternative words for the declared terms in records: ids of names (see `termId`), each with the term's id. */
export type TermSynonyms = ReadonlyMap<string, string>

/**
 * Returns what else the terms of one taxonomy are called: by the name that each declares, and by what it was called before. Where
 * two could be meant, an id goes before a name, a name before an earlier one, and the term whose id is first before the other.
 */
export function synonymsOf(terms: DeclaredTerms): TermSynonyms {
  const synonyms = new Map(namesOf(terms))
  for (const { id, aliases } of sorted(terms)) {
    for (const alias of aliases) if (!terms.has(alias) && !synonyms.has(alias)) synonyms.set(alias, id)
  }
  return synonyms
}

/** By the names alone. */
function namesOf(terms: DeclaredTerms): TermSynonyms {
  const names = new Map<string, string>()
  for (const { id, name } of sorted(terms)) {
    const said = termId(name)
    if (said !== '' && !terms.has(said) && !names.has(said)) names.set(said, id)
  }
  return names
}

function sorted(terms: DeclaredTerms): DeclaredTerm[] {
  return [...terms.values()].sort((a, b) => compareText(a.id, b.id))
}

function termOf({ hierarchical }: Pick<Taxonomy, 'hierarchical'>, id: string, heads: [Head, ...Head[]]): DeclaredTerm {
  const { name, title, description, parent, aliases } = heads[0].fields
  const above = hierarchical ? termId(text(parent)) : ''
  return {
    id,
    name: text(name) || text(title) || heads[0].key.id,
    description: text(description),
    parent: above === '' || above === id ? undefined : above,
    aliases: (Array.isArray(aliases) ? aliases.slice(0, MOST_ALIASES) : [aliases])
      .map(text)
      .map(termId)
      .filter((alias) => alias !== '' && alias !== id),
    heads,
  }
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

/** A term and those above it, from itself on. */
export function lineage(id: string, terms: DeclaredTerms): string[] {
  const line = [id]
  for (
    let parent = terms.get(id)?.parent;
    parent !== undefined && line.length < MOST_LEVELS;
    parent = terms.get(parent)?.parent
  ) {
    if (line.includes(parent)) break
    line.push(parent)
  }
  return line
}

/** The ids of terms by that of the term right above them. */
export function childrenOf(terms: DeclaredTerms): Map<string, string[]> {
  const children = new Map<string, string[]>()
  for (const { id, parent } of terms.values()) {
    if (parent === undefined) continue
    const siblings = children.get(parent)
    if (siblings) siblings.push(id)
    else children.set(parent, [id])
  }
  return children
}

/** Some terms and all below them: those that have one of them in their `lineage`. */
export function family(ids: Iterable<string>, children: ReadonlyMap<string, readonly string[]>): Set<string> {
  const all = new Set(ids)
  let level = [...all]
  for (let n = 1; n < MOST_LEVELS && level.length > 0; n++) {
    level = level.flatMap((id) => children.get(id) ?? []).filter((id) => !all.has(id))
    for (const id of level) all.add(id)
  }
  return all
}
