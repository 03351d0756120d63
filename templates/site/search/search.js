// Searches the site in the browser: over index.json, which is a Lunr index, and documents.json, both beside this file.
import { lunr } from './lunr.js'
import { isUnspaced, read } from './words.js'

const MOST_CHARACTERS = 256
const MOST_WORDS = 8
const PART = /([+-]?)(?:["“”„‟«»＂「」『』]([^"“”„‟«»＂「」『』]*)["“”„‟«»＂「」『』]?|([^\s"“”„‟«»＂「」『』]+))/gu

/** Fetches the index. `find(text, most)` of it gives the best pages for what a person typed; `total` says how many there are. */
export async function open() {
  const [index, documents] = await Promise.all([fetched('./index.json'), fetched('./documents.json')])
  return new SiteIndex(lunr.Index.load(index), documents)
}

/** A text in pieces, those marked that are words of these stems. */
export function pieces(text, stems) {
  const found = []
  let at = 0
  read(text, ({ stem }, start, end) => {
    if (!stems.has(stem) || start < at) return
    if (start > at) found.push({ text: text.slice(at, start), marked: false })
    found.push({ text: text.slice(start, end), marked: true })
    at = end
  })
  if (at < text.length) found.push({ text: text.slice(at), marked: false })
  return found
}

/** What can be found of a site. */
export class SiteIndex {
  #index
  #documents
  #terms

  constructor(index, documents) {
    this.#index = index
    this.#documents = documents
    this.#terms = Object.keys(index.invertedIndex)
  }

  /** `"quotes"` and `+` require, `-` leaves out; the last word may be a beginning. Gives `{ total, stems, pages: [{ title, url, excerpt, score }] }`. */
  find(text, most = 20) {
    const clauses = clausesOf(text).map((clause) => this.#expanded(clause))
    const stems = new Set()
    if (!clauses.some(({ presence }) => presence !== 'prohibited')) return { total: 0, stems, pages: [] }
    const results = this.#wholeFirst(this.#matching(clauses), clauses)
    for (const { matchData } of results) for (const stem of Object.keys(matchData.metadata)) stems.add(stem)
    const pages = results.slice(0, most).map(({ ref, score }) => ({ ...this.#documents[ref], score }))
    return { total: results.length, stems, pages }
  }

  #matching(clauses) {
    return this.#index.query((query) => {
      for (const { presence, terms } of clauses) {
        for (const [term, options] of terms) {
          query.term(term, { ...options, usePipeline: false, presence: lunr.Query.presence[presence.toUpperCase()] })
        }
      }
    })
  }

  /** What has all that is asked for comes first, words aside that are nowhere. */
  #wholeFirst(results, clauses) {
    const asked = clauses.filter(({ presence }) => presence !== 'prohibited')
    if (asked.length < 2) return results
    const having = asked.map((clause) => new Set(this.#matching([clause]).map(({ ref }) => ref))).filter(({ size }) => size > 0)
    const isWhole = ({ ref }) => having.every((refs) => refs.has(ref))
    return [...results.filter(isWhole), ...results.filter((one) => !isWhole(one))]
  }

  /** The terms a word stands for: its own, those that begin with it where it may be a beginning, else those that are nearly written so. */
  #expanded({ form, stem, presence, isBeginning, edits }) {
    const exact = stem in this.#index.invertedIndex
    const longer = isBeginning && this.#terms.some((term) => term !== stem && term.startsWith(form))
    const terms = []
    if (longer) terms.push([form, { wildcard: lunr.Query.wildcard.TRAILING }])
    // Two clauses that are required would both have to be there.
    if (exact && (!longer || presence === 'optional')) terms.push([stem, { boost: 2 }])
    if (terms.length === 0) terms.push([stem, { editDistance: edits }])
    return { presence, terms }
  }
}

/** What a person asks for, as Quire's API understands it; but words in quotes need not follow each other, for such an index knows no places. */
function clausesOf(text) {
  const typed = [...text.normalize('NFC')].slice(0, MOST_CHARACTERS).join('')
  const clauses = []
  for (const { 0: whole, 1: sign, 2: quoted, 3: plain = '', index } of typed.matchAll(PART)) {
    const presence = sign === '-' ? 'prohibited' : sign === '+' || quoted !== undefined ? 'required' : 'optional'
    const isLast = quoted === undefined && presence !== 'prohibited' && index + whole.length === typed.length
    clauses.push(...wordsOf(quoted ?? plain, presence, isLast))
  }
  return clauses.slice(0, MOST_WORDS)
}

function wordsOf(text, presence, isLast) {
  const words = []
  read(text, (word, start, end) => words.push({ ...word, start, end }))
  return words
    .filter(({ stem, start }, n) => stem !== '' && !isEndOfRun(words, n, start))
    .map(({ form, stem, end }) => ({
      form,
      stem,
      presence: presence === 'optional' && isUnspaced(form) ? 'required' : presence,
      isBeginning: (isLast && end === text.length && [...form].length >= 2) || (isUnspaced(form) && [...form].length === 1),
      edits: presence === 'prohibited' ? 0 : editsOf(form),
    }))
}

/** The last character of a run stands alone in the index, and in the middle of a text begins a pair: the pair before it says it already. */
function isEndOfRun(words, n, start) {
  return n > 0 && start < words[n - 1].end
}

function editsOf(form) {
  if (!/^[\p{Ll}\p{M}]+$/u.test(form)) return 0
  const letters = [...form].length
  return letters >= 8 ? 2 : letters >= 3 ? 1 : 0
}

async function fetched(name) {
  const answer = await fetch(new URL(name, import.meta.url))
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`)
  return answer.json()
}
