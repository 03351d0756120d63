import { short } from '#lib/text/short-hash.ts'
import type { Entry } from '../outline/entry.ts'
import { SettledPerSnapshot } from '../outline/per-snapshot.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { Print, Prints } from './prints.ts'
import type { ListName, RecordLists } from './record-lists.ts'

const LIST = 'list '
const BESIDE = 'beside '
const TERMS = 'terms '
const TREE = 'tree '
const NAMES = 'names '
/** Prints of so many records, as of two neighbours, are an answer as they are. */
const FEW = 2

/** The records of a part of a list, with undefined where there are none. */
type Found = readonly (Entry | undefined)[]

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

/** The question for the names of the types that have lists, or trees. */
export function namesQuestion(of: 'lists' | 'trees'): string {
  return NAMES + of
}

/** Returns whether a question is one of lists. */
export function isOfLists(question: string): boolean {
  return [LIST, BESIDE, TERMS, TREE, NAMES].some((name) => question.startsWith(name))
}

/**
 * Returns whether a question has the same answer as long as the outline of a site is the same, and the records in the answer are: one
 * about texts, or about records without pages, may not.
 */
export function isOfOutline(question: string, { outline }: SiteSnapshot): boolean {
  if (!question.startsWith(LIST)) return true
  const [by, name]: ListName = JSON.parse(question.slice(LIST.length))
  return by === 'type' ? outline.types.has(name) : by !== 'backlinks'
}

/** The answer to a question of lists: the same as long as all is the same that templates are given of the records. */
export interface ListAnswer {
  readonly answer: string
  readonly entries: readonly Entry[]
  /** Of those entries. */
  readonly prints: readonly Print[]
  /** The addresses of terms that it names. */
  readonly terms: readonly string[]
  /** The type whose tree it is, and what that is like; see `shownTree`. */
  readonly tree?: string
}

/** Answers the questions that templates ask of the lists of the site, each once for a snapshot. */
export class ListAnswers {
  readonly #lists: RecordLists
  readonly #prints: Prints
  readonly #known = new SettledPerSnapshot((question: string, snapshot) => this.#answer(question, snapshot))

  constructor(lists: RecordLists, prints: Prints) {
    this.#lists = lists
    this.#prints = prints
  }

  /** The answer to a question: at once, where all that it is about was read before. */
  of(question: string, snapshot: SiteSnapshot): ListAnswer | Promise<ListAnswer> {
    return this.#known.of(question, snapshot)
  }

  #answer(question: string, snapshot: SiteSnapshot): ListAnswer | Promise<ListAnswer> {
    if (question.startsWith(NAMES)) return this.#names(question.slice(NAMES.length), snapshot)
    if (question.startsWith(TREE)) return this.#tree(question.slice(TREE.length), snapshot)
    if (question.startsWith(TERMS)) return this.#terms(question.slice(TERMS.length), snapshot)
    const found = question.startsWith(LIST)
      ? this.#part(question.slice(LIST.length), snapshot)
      : this.#beside(question.slice(BESIDE.length), snapshot)
    return found instanceof Promise ? found.then((entries) => this.#ofAll(entries, snapshot)) : this.#ofAll(found, snapshot)
  }

  #ofAll(found: Found, snapshot: SiteSnapshot): ListAnswer | Promise<ListAnswer> {
    const prints: (Print | undefined)[] = []
    for (const entry of found) {
      const made = entry && this.#prints.of(entry, snapshot)
      if (made instanceof Promise) return this.#ofAllRead(found, snapshot)
      prints.push(made)
    }
    const texts = prints.map((made) => made?.print ?? null)
    const answer = texts.length > FEW ? short(JSON.stringify(texts)) : texts.join(' ')
    const isThere = <T>(one: T | undefined): one is T => one !== undefined
    return { answer, entries: found.filter(isThere), prints: prints.filter(isThere), terms: [] }
  }

  async #ofAllRead(found: Found, snapshot: SiteSnapshot): Promise<ListAnswer> {
    for (const entry of found) if (entry) await this.#prints.of(entry, snapshot)
    return this.#ofAll(found, snapshot)
  }

  #names(of: string, snapshot: SiteSnapshot): ListAnswer {
    const names = of === 'trees' ? [...snapshot.outline.types.keys()] : this.#lists.names(snapshot)
    return { answer: short(JSON.stringify(names)), entries: [], prints: [], terms: [] }
  }

  #tree(type: string, snapshot: SiteSnapshot): ListAnswer {
    const answer = this.#lists.treePrint(type, snapshot)
    return { answer, entries: [], prints: [], terms: [], tree: shownTree(type, answer) }
  }

  #terms(taxonomy: string, snapshot: SiteSnapshot): ListAnswer {
    const { tree } = this.#lists.terms(taxonomy, snapshot)
    const terms = [...snapshot.outline.terms.values()].filter((term) => term.taxonomy.name === taxonomy).map(({ url }) => url)
    return { answer: short(JSON.stringify(tree)), entries: [], prints: [], terms }
  }

  #part(text: string, snapshot: SiteSnapshot): Found | Promise<Found> {
    const [by, name, from, to]: [ListName[0], string, number, number | null] = JSON.parse(text)
    const known = this.#lists.at([by, name], snapshot)
    const part = (entries: readonly Entry[]): Found =>
      // An end that is too early counts.
      to === null ? entries.slice(from) : Array.from({ length: to - from }, (_, index) => entries[from + index])
    return known ? part(known) : this.#lists.read([by, name], snapshot).then(part)
  }

  #beside(text: string, snapshot: SiteSnapshot): Found {
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
