// Searches the site in the browser: index.json says in which file of words/ a word is, and a file of pages/ has what is shown of a
// page. What a search needs of them is fetched when it needs it, and kept.
import { isUnspaced, read } from './words.js'

const MOST_CHARACTERS = 256
const MOST_WORDS = 8
/** Files of words that are fetched for one that may be a beginning or be written with a mistake, and for a lone character of a script without spaces. */
const MOST_FILES = 3
const MOST_OF_CHARACTER = 12
/** Letters of a beginning from which on so many are: what begins with fewer is mostly still being typed. */
const MANY_LETTERS = 3
const PART = /([+-]?)(?:["“”„‟«»＂「」『』]([^"“”„‟«»＂「」『』]*)["“”„‟«»＂「」『』]?|([^\s"“”„‟«»＂「」『』]+))/gu
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** The weight of a level (src/features/site/searching/posting-code.ts). */
const weightOf = (level) => 0.01 * Math.exp(0.14 * level)
/** A word as it was typed counts for more than one that begins so. */
const EXACT = 2
/** Characters of an excerpt, and of those before the first word that is found. */
const SHOWN = 240
const BEFORE = 50

/** Fetches the index: see `SiteIndex`. */
export async function openSearch() {
  return new SiteIndex(await fetched('./index.json', { cache: 'no-cache' }))
}

/** A text in pieces, those marked that are words of these stems. */
export function pieces(text, stems) {
  const found = []
  let at = 0
  for (const [, start, end] of places(text, stems)) {
    if (start < at) continue
    if (start > at) found.push({ text: text.slice(at, start), marked: false })
    found.push({ text: text.slice(start, end), marked: true })
    at = end
  }
  if (at < text.length) found.push({ text: text.slice(at), marked: false })
  return found
}

/** What can be found of a site. */
export class SiteIndex {
  #total
  #files = []
  #words = new Map()
  #pages = new Map()

  constructor({ pages, words }) {
    this.#total = pages
    for (let at = 0; at < words.length; at += 2) this.#files.push({ from: words[at], name: words[at + 1] })
  }

  /**
   * `"quotes"` and `+` require, `-` leaves out; the last word may be a beginning. Gives `{ total, stems, pages: [{ id, score }] }`, the
   * best first; `show` has what is shown of them. Rejects where a file can't be fetched.
   */
  async find(text) {
    const clauses = await Promise.all(clausesOf(text).map((clause) => this.#expanded(clause)))
    const stems = new Set()
    if (!clauses.some(({ presence }) => presence !== 'prohibited')) return { total: 0, stems, pages: [] }
    for (const { presence, terms } of clauses) if (presence !== 'prohibited') for (const [stem] of terms) stems.add(stem)
    const pages = this.#ranked(clauses)
    return { total: pages.length, stems, pages }
  }

  /** What is shown of pages that were found, those left out that are gone since: `{ title, url, excerpt }`, the excerpt where the words of these stems are. */
  async show(pages, stems) {
    const shown = await Promise.all(pages.map(({ id }) => this.#kept(this.#pages, id, () => fetched(`./pages/${id}.json`, {}, true))))
    return shown.filter(Boolean).map(({ title, url, excerpt, text }) => ({ title, url, excerpt: excerptOf(text, excerpt, stems) }))
  }

  /** The pages that have what is required and nothing that is prohibited; those with all words come first, words aside that are nowhere. */
  #ranked(clauses) {
    const scores = new Map()
    const asked = clauses.filter(({ presence, pages }) => presence === 'required' || (presence === 'optional' && pages.size > 0))
    for (const { presence, pages } of clauses) {
      if (presence === 'prohibited') continue
      for (const [id, score] of pages) {
        const sum = scores.get(id) ?? { score: 0, words: 0 }
        scores.set(id, { score: sum.score + score, words: sum.words + 1 })
      }
    }
    for (const { presence, pages } of clauses) {
      if (presence === 'prohibited') for (const id of pages.keys()) scores.delete(id)
      if (presence === 'required') for (const id of scores.keys()) if (!pages.has(id)) scores.delete(id)
    }
    const isWhole = ({ words }) => words === asked.length
    return [...scores]
      .map(([id, { score, words }]) => ({ id, score, words }))
      .sort((a, b) => isWhole(b) - isWhole(a) || b.score - a.score || (a.id < b.id ? -1 : 1))
      .map(({ id, score }) => ({ id, score }))
  }

  /** The terms a word stands for, and the pages that have one: its own, those that begin with it where it may be a beginning, else those that are nearly written so. */
  async #expanded({ form, stem, presence, isBeginning, edits }) {
    const own = await this.#wordsFrom(stem, stem)
    const terms = new Map(own.has(stem) ? [[stem, EXACT]] : [])
    if (isBeginning) {
      const last = `${form}\uffff`
      const most = isUnspaced(form) ? MOST_OF_CHARACTER : form.length < MANY_LETTERS ? 1 : MOST_FILES
      const longer = await this.#wordsFrom(form, last, most)
      for (const term of longer.keys()) if (term >= form && term <= last && term !== stem) terms.set(term, 1)
    }
    if (terms.size === 0 && edits > 0) {
      const first = String.fromCodePoint(stem.codePointAt(0))
      for (const term of (await this.#wordsAround(stem)).keys())
        if (term.startsWith(first) && isNear(term, stem, edits)) terms.set(term, 1)
    }
    return { presence, terms, pages: await this.#pagesOf(terms) }
  }

  /** The pages that have some terms, by how much the best of these counts there. */
  async #pagesOf(terms) {
    const pages = new Map()
    for (const [term, boost] of terms) {
      const having = postingsOf((await this.#wordsFrom(term, term)).get(term))
      const rarity = Math.log(1 + Math.abs((this.#total - having.length + 0.5) / (having.length + 0.5)))
      for (const { id, weight } of having) pages.set(id, Math.max(pages.get(id) ?? 0, weight * rarity * boost))
    }
    return pages
  }

  /** The words of the files that have those of a range, as far as these are few. */
  #wordsFrom(from, to, most = 1) {
    const start = this.#fileOf(from)
    return this.#wordsOf(start, Math.min(this.#fileOf(to) + 1, start + most))
  }

  #wordsAround(stem) {
    const middle = this.#fileOf(stem)
    return this.#wordsOf(Math.max(0, middle - 1), Math.min(this.#files.length, middle + MOST_FILES - 1))
  }

  async #wordsOf(start, end) {
    const files = this.#files.slice(start, end)
    const all = await Promise.all(
      files.map(({ name }) =>
        this.#kept(this.#words, name, async () => new Map(Object.entries(await fetched(`./words/${name}.json`)))),
      ),
    )
    return all.length === 1 ? all[0] : new Map(all.flatMap((words) => [...words]))
  }

  /** The file that has a word, if any has. */
  #fileOf(word) {
    let [low, high] = [0, this.#files.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.#files[middle].from <= word) low = middle
      else high = middle - 1
    }
    return low
  }

  #kept(known, name, fetch) {
    const kept = known.get(name) ?? fetch()
    known.set(name, kept)
    // What could not be fetched is fetched again.
    kept.catch(() => known.delete(name))
    return kept
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

/** Returns whether one word becomes another with at most so many letters put in, left out, taken for another or exchanged with the next. */
function isNear(one, other, edits) {
  if (Math.abs(one.length - other.length) > edits) return false
  let [before, row] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1))
      if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1)
    }
    if (Math.min(...next) > edits) return false
    ;[before, row] = [row, next]
  }
  return row[other.length] <= edits
}

/** The pages of a word: for each level its character and those of the pages, three each. */
function postingsOf(code = '') {
  return code.split('.').flatMap((part) => {
    const weight = weightOf(DIGITS.indexOf(part[0]))
    return Array.from({ length: Math.floor(part.length / 3) }, (_, n) => ({ id: idOf(part, n * 3 + 1), weight }))
  })
}

/** The name of a page's file: five hexadecimal digits. */
function idOf(part, at) {
  const number = [0, 1, 2].reduce((sum, n) => sum * 64 + DIGITS.indexOf(part[at + n]), 0)
  return number.toString(16).padStart(5, '0')
}

/** The words of these stems in a text: stem, start and end of each. */
function places(text, stems) {
  const found = []
  read(text, ({ stem }, start, end) => {
    if (stems.has(stem)) found.push([stem, start, end])
  })
  return found
}

/** The part of a text with the most of what is asked for; the excerpt of its author, where that has as much. */
function excerptOf(text, excerpt, stems) {
  const found = places(text, stems)
  let best = { count: countOf(places(excerpt, stems)), at: -1 }
  for (const [n, [, start]] of found.entries()) {
    const count = countOf(found.slice(n, n + 50).filter(([, , end]) => end - start < SHOWN - BEFORE))
    if (count > best.count) best = { count, at: start }
  }
  return best.at < 0 ? excerpt : cut(text, best.at - BEFORE)
}

function countOf(found) {
  return new Set(found.map(([stem]) => stem)).size
}

/** A part of a text that begins and ends with whole words. */
function cut(text, from) {
  const space = from > 0 ? text.indexOf(' ', from) + 1 : 0
  const start = from > 0 ? (space > 0 && space < from + BEFORE ? space : from) : 0
  const end = start + SHOWN < text.length ? text.lastIndexOf(' ', start + SHOWN) : text.length
  const last = end > start + SHOWN / 2 ? end : start + SHOWN
  const part = text.slice(start, last).toWellFormed?.() ?? text.slice(start, last)
  return `${start > 0 ? '… ' : ''}${part}${last < text.length ? ' …' : ''}`
}

/** The JSON of a file beside this one; undefined where that is gone, and `mayBeGone`. */
async function fetched(name, options = {}, mayBeGone = false) {
  const answer = await fetch(new URL(name, import.meta.url), options)
  if (mayBeGone && answer.status === 404) return undefined
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`)
  return answer.json()
}
