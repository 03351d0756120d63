import { sql } from 'kysely'
import { type Clause, MOST_TERMS, type PhraseClause, type WordClause } from '#fulltext/clauses.ts'
import type { Database } from '../database.ts'
import type { Audience } from './audience.ts'
import type { Forms } from './forms.ts'
import { lexeme } from './reading.ts'

/** Number of forms that are looked up at once: usually enough for one clause. */
const AT_ONCE = MOST_TERMS

/** A clause and the stems that stand for it: those of its words and, for a word, those of the forms it stands for. */
export interface Meant {
  readonly clause: Clause
  readonly stems: ReadonlySet<string>
  /** False for a word that the audience has no document of; a phrase is taken to be there. */
  readonly isKnown: boolean
}

/** Finds out what clauses mean to an audience: which stems there are, by which forms. */
export class Expansion {
  readonly #database: Database
  readonly #forms: Forms
  readonly #edition: number
  readonly #audience: Audience
  /** The stems of the forms that were looked up; undefined where there is none of a form. */
  readonly #looked = new Map<string, string | undefined>()
  #left = MOST_TERMS

  constructor(parts: { database: Database; forms: Forms; edition: number; audience: Audience }) {
    this.#database = parts.database
    this.#forms = parts.forms
    this.#edition = parts.edition
    this.#audience = parts.audience
  }

  /** Resolves with the meaning of each clause; to be called once. */
  async of(clauses: readonly Clause[]): Promise<Meant[]> {
    const known = await this.#known(clauses.flatMap((clause) => ('phrase' in clause ? [] : clause.stem || [])))
    const meant: Meant[] = []
    for (const clause of clauses) meant.push('phrase' in clause ? ofPhrase(clause) : await this.#ofWord(clause, known))
    return meant
  }

  async #ofWord(clause: WordClause, known: ReadonlySet<string>): Promise<Meant> {
    const own = new Set(clause.stem === '' ? [] : [clause.stem])
    const further = await this.#further(clause, own, known)
    this.#left -= further.length
    return { clause, stems: new Set([...own, ...further]), isKnown: further.length > 0 || known.has(clause.stem) }
  }

  async #further(clause: WordClause, own: ReadonlySet<string>, known: ReadonlySet<string>): Promise<string[]> {
    const { form, stem, isBeginning, edits } = clause
    if (isBeginning) {
      const begun = await this.#taken(this.#forms.beginning(form), own)
      if (begun) return begun
    }
    if (edits === 0 || known.has(stem)) return []
    return (await this.#taken(this.#forms.near(form, edits), own)) ?? []
  }

  /**
   * The stems of the first of these forms that there are, as many as are left, without the clause's own; undefined where there is
   * none of the forms.
   */
  async #taken(forms: readonly string[], own: ReadonlySet<string>): Promise<string[] | undefined> {
    const stems = new Set<string>()
    let isAny = false
    for (let at = 0; at < forms.length && stems.size < this.#left; at += AT_ONCE) {
      for (const stem of await this.#had(forms.slice(at, at + AT_ONCE))) {
        isAny = true
        if (!own.has(stem)) stems.add(stem)
      }
    }
    return isAny ? [...stems].slice(0, this.#left) : undefined
  }

  /** The stems of those of the forms that there are, in the forms' order. */
  async #had(forms: readonly string[]): Promise<string[]> {
    const unknown = forms.filter((form) => !this.#looked.has(form))
    if (unknown.length > 0) await this.#look(unknown)
    return forms.flatMap((form) => this.#looked.get(form) ?? [])
  }

  async #look(forms: readonly string[]): Promise<void> {
    const { rows } = await this.#database.read((db) =>
      sql<{ form: string; stem: string }>`/* prepared */
        select f.form, f.stem from unnest(${forms}::text[], ${forms.map(lexeme)}::tsquery[]) as o (form, query)
        join search_forms f on f.edition = ${this.#edition} and f.form = o.form
        where exists (select 1 from search_documents s join documents d on d.doc = s.doc
          where s.edition + 0 = ${this.#edition} and s.forms @@ o.query and ${this.#audience.reads})`.execute(db),
    )
    for (const form of forms) this.#looked.set(form, undefined)
    for (const { form, stem } of rows) this.#looked.set(form, stem)
  }

  /** Those of the stems that there are. */
  async #known(stems: readonly string[]): Promise<ReadonlySet<string>> {
    if (stems.length === 0) return new Set()
    const { rows } = await this.#database.read((db) =>
      sql<{ stem: string }>`/* prepared */
        select o.stem from unnest(${stems}::text[], ${stems.map(lexeme)}::tsquery[]) as o (stem, query)
        where exists (select 1 from search_documents s join documents d on d.doc = s.doc
          where s.edition + 0 = ${this.#edition} and s.words @@ o.query and ${this.#audience.reads})`.execute(db),
    )
    return new Set(rows.map(({ stem }) => stem))
  }
}

function ofPhrase(clause: PhraseClause): Meant {
  return { clause, stems: new Set(clause.phrase.flatMap(({ stem }) => stem || [])), isKnown: true }
}
