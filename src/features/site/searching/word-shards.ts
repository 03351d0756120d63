import { hash } from 'node:crypto'
import { Slices, sortedInSlices } from '#lib/concurrency/slices.ts'
import { decoded, encoded, idOf, levelOfDigit, posting } from './posting-code.ts'

/** A file of words, from the first one to the last, and its name, which is made of its bytes. */
export interface Shard {
  readonly first: string
  readonly last: string
  readonly words: number
  readonly name: string
  readonly body: Buffer
}

/** About how many bytes a shard has at least, before a word that ends one, and at most, whichever word is next. */
const LEAST = 8 * 1024
const MOST = 18 * 1024
/** Of so many words one ends a shard. */
const ONE_OF = 96
/** Bytes of a word in a shard beside itself and its pages: quotes, colon and comma. */
const AROUND = 6
/** Words between two looks at the clock. */
const AT_ONCE = 500
/** Characters of a shard's name: 48 bits. */
const NAME = 12
/** Marks the change that takes a page from a word. */
const GONE = 2 ** 24

/**
 * The words of a site and the pages that have them, in shards: each a run of neighbouring words, in the order of UTF-16 units, as
 * JSON from word to pages (see `encoded`). Where one ends goes by the words themselves and begins anew after each end, so that a
 * change of a page changes the shards of its own words, and seldom a neighbour. The same pages give the same shards, whatever the
 * order in which they came.
 */
export class WordShards {
  readonly #codes = new Map<string, string>()
  readonly #changes = new Map<string, number[]>()
  /** Pages that got words since the last shards were made, and nothing else, each once; undefined where more was changed. */
  #added: Set<number> | undefined = new Set()
  #sorted: readonly string[] = []
  #shards: readonly Shard[] = []

  /** Takes the words of a page, as `PageWords` has them, in place of those it had. */
  change(id: number, before: string, after: string): void {
    if (before !== '' || this.#added?.has(id)) this.#added = undefined
    this.#added?.add(id)
    const levels = new Map(wordsIn(after))
    for (const [word, level] of wordsIn(before)) {
      const now = levels.get(word)
      if (now === undefined) this.#note(word, GONE | id)
      else if (now === level) levels.delete(word)
    }
    for (const [word, level] of levels) this.#note(word, posting(id, level))
  }

  /** The shards as of all changes so far, in the order of their words. */
  async shards(): Promise<readonly Shard[]> {
    if (this.#changes.size === 0) return this.#shards
    const slices = new Slices()
    const changed = new Map(this.#changes)
    const isPlain = this.#added !== undefined
    this.#changes.clear()
    this.#added = new Set()
    const fresh: string[] = []
    let isFewer = false
    for (const [word, changes] of changed) {
      if (slices.isOver) await slices.pause()
      const before = this.#codes.get(word)
      const isNew = isPlain && before === undefined
      const code = encoded(isNew ? changes.sort(ascending) : changedPostings(before, changes))
      if (before === undefined) fresh.push(word)
      if (code !== '') this.#codes.set(word, code)
      else isFewer = this.#codes.delete(word) || isFewer
    }
    if (fresh.length > 0 || isFewer) await this.#sort(fresh, slices)
    this.#shards = await this.#made(changed, slices)
    return this.#shards
  }

  #note(word: string, change: number): void {
    const changes = this.#changes.get(word)
    if (changes) changes.push(change)
    else this.#changes.set(word, [change])
  }

  async #sort(fresh: string[], slices: Slices): Promise<void> {
    const added = await sortedInSlices(fresh, inOrder, slices)
    const merged: string[] = []
    let next = 0
    for (const word of this.#sorted) {
      if (!this.#codes.has(word)) continue
      for (; next < added.length && inOrder(added[next] ?? '', word) < 0; next++) merged.push(added[next] ?? '')
      merged.push(word)
    }
    const rest = added.slice(next)
    this.#sorted = merged.concat(rest).filter((word) => this.#codes.has(word))
  }

  async #made(changed: ReadonlyMap<string, unknown>, slices: Slices): Promise<readonly Shard[]> {
    const before = new Map(this.#shards.map((shard) => [shard.first, shard]))
    const made: Shard[] = []
    let words: string[] = []
    let bytes = 0
    let isChanged = false
    const end = () => {
      const known = before.get(words[0] ?? '')
      const isSame = !isChanged && known?.last === words.at(-1) && known?.words === words.length
      if (words.length > 0) made.push(known && isSame ? known : this.#shardOf(words))
      words = []
      bytes = 0
      isChanged = false
    }
    for (const [nth, word] of this.#sorted.entries()) {
      if (nth % AT_ONCE === 0 && slices.isOver) await slices.pause()
      const size = word.length * 2 + (this.#codes.get(word)?.length ?? 0) + AROUND
      if (bytes + size > MOST || (bytes >= LEAST && endsShard(word))) end()
      words.push(word)
      bytes += size
      isChanged ||= changed.has(word)
    }
    end()
    return made
  }

  #shardOf(words: readonly string[]): Shard {
    const pairs = words.map((word) => `${JSON.stringify(word)}:"${this.#codes.get(word)}"`)
    const body = Buffer.from(`{${pairs.join(',')}}`)
    const [first = '', last = ''] = [words[0], words.at(-1)]
    return { first, last, words: words.length, body, name: hash('sha256', body, 'hex').slice(0, NAME) }
  }
}

function* wordsIn(words: string): Generator<[word: string, level: number]> {
  for (const one of words === '' ? [] : words.split(' ')) yield [one.slice(1), levelOfDigit(one.charAt(0))]
}

/** The postings of a word after changes, the later ones of a page in place of others. */
function changedPostings(code: string | undefined, changes: readonly number[]): number[] {
  const all = new Map((code === undefined ? [] : decoded(code)).map((one) => [idOf(one), one]))
  for (const change of changes) {
    if (change < GONE) all.set(idOf(change), change)
    else all.delete(idOf(change))
  }
  return [...all.values()].sort(ascending)
}

function ascending(a: number, b: number): number {
  return a - b
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : 1
}

/** Returns whether a word is the first of a shard where the one before is large enough: the same of every site. */
function endsShard(word: string): boolean {
  let sum = 7
  for (let at = 0; at < word.length; at++) sum = (Math.imul(sum, 31) + word.charCodeAt(at)) | 0
  return (Math.imul(sum, 0x9e3779b1) >>> 16) % ONE_OF === 0
}
