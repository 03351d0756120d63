import { short } from '#lib/short-hash.ts'
import { PerSnapshot } from '../outline/per-snapshot.ts'
import type { Entry } from '../outline/site-entries.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { Prints } from './prints.ts'
import type { ListName, RecordLists } from './record-lists.ts'

const LIST = 'list '
const BESIDE = 'beside '
const TERMS = 'terms '
const TREE = 'tree '

/** The question for a part of a list. With `to` as `Infinity` it is for its length, too. */
export function listQuestion(name: ListName, from: number, to: number): string {
  return LIST + JSON.stringify([...name, from, Number.isFinite(to) ? to : null])
}

/** The question for the neighbours of a record, by its key as a text. */
export function besideQuestion(key: string): string {
  return BESIDE + JSON.stringify(key)
}

/** The question for the terms of a taxonomy. */
export function termsQuestion(taxonomy: string): string {
  return TERMS + taxonomy
}

/** The question for the tree of a type's records. */
export function treeQuestion(type: string): string {
  return TREE + type
}

/** Returns whether a question is one of lists. */
export function isOfLists(question: string): boolean {
  return [LIST, BESIDE, TERMS, TREE].some((name) => question.startsWith(name))
}

/** The answer to a question of lists: the same as long as all is the same that templates are given of the records. */
export interface ListAnswer {
  readonly answer: string
  readonly entries: readonly Entry[]
  /** The keys of the records that its views show, as texts. */
  readonly keys: readonly string[]
  /** The addresses of terms that it names. */
  readonly terms: readonly string[]
  /** The type whose tree it is, and what that is like; see `shownTree`. */
  readonly tree?: string
}

/** Answers the questions that templates ask of the lists of the site, each once for a snapshot. */
export class ListAnswers {
  readonly #lists: RecordLists
  readonly #prints: Prints
  readonly #known = new PerSnapshot((question: string, snapshot) => this.#answer(question, snapshot))

  constructor(lists: RecordLists, prints: Prints) {
    this.#lists = lists
    this.#prints = prints
  }

  of(question: string, snapshot: SiteSnapshot): Promise<ListAnswer> {
    return this.#known.of(question, snapshot)
  }

  async #answer(question: string, snapshot: SiteSnapshot): Promise<ListAnswer> {
    if (question.startsWith(TREE)) return this.#tree(question.slice(TREE.length), snapshot)
    if (question.startsWith(TERMS)) return this.#terms(question.slice(TERMS.length), snapshot)
    const found = question.startsWith(LIST)
      ? await this.#part(question.slice(LIST.length), snapshot)
      : this.#beside(question.slice(BESIDE.length), snapshot)
    const prints: (string | null)[] = []
    const keys = new Set<string>()
    for (const entry of found) {
      const made = entry && (await this.#prints.of(entry, snapshot))
      prints.push(made?.print ?? null)
      for (const key of made?.keys ?? []) keys.add(key)
    }
    const entries = found.filter((entry) => entry !== undefined)
    return { answer: short(JSON.stringify(prints)), entries, keys: [...keys], terms: [] }
  }

  #tree(type: string, snapshot: SiteSnapshot): ListAnswer {
    const answer = this.#lists.treePrint(type, snapshot)
    return { answer, entries: [], keys: [], terms: [], tree: shownTree(type, answer) }
  }

  #terms(taxonomy: string, snapshot: SiteSnapshot): ListAnswer {
    const { tree } = this.#lists.terms(taxonomy, snapshot)
    const terms = [...snapshot.outline.terms.values()].filter((term) => term.taxonomy.name === taxonomy).map(({ url }) => url)
    return { answer: short(JSON.stringify(tree)), entries: [], keys: [], terms }
  }

  async #part(text: string, snapshot: SiteSnapshot): Promise<readonly (Entry | undefined)[]> {
    const [by, name, from, to]: [ListName[0], string, number, number | null] = JSON.parse(text)
    const entries = await this.#lists.read([by, name], snapshot)
    if (to === null) return entries.slice(from)
    // An end that is too early counts.
    return Array.from({ length: to - from }, (_, index) => entries[from + index])
  }

  #beside(text: string, snapshot: SiteSnapshot): readonly (Entry | undefined)[] {
    const entry = snapshot.entries.get(JSON.parse(text))
    if (!entry) return []
    const { next, previous } = this.#lists.beside(entry, snapshot)
    return [next, previous]
  }
}

/** The name under which a page says that it shows a tree: another one has another name. */
export function shownTree(type: string, print: string): string {
  return `${type} ${print}`
}
