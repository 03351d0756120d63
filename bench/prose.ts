import { seeded } from './random.ts'

/** A post of made-up prose. */
export interface Prose {
  readonly id: string
  readonly title: string
  readonly tags: readonly string[]
  readonly body: string
}

const SYLLABLES =
  'ba be bi bo bu ca co cu da de di do fa fe fi fo ga go ha he hi ho ka ki ko la le li lo lu ma me mi mo mu na ne ni no pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo wa we za zo'.split(
    ' ',
  )
const ENDINGS = ['', '', '', 's', 'ed', 'ing', 'er', 'ly', 'ation', 'ness', 'able', 'ment']
const STOPS = 'the of and to a in is it that for was on are as with they at be this from'.split(' ')

/**
 * Posts of a language whose words are as often as in English (by Zipf's law), with endings that English stems take off, the same
 * ones each time.
 */
export class ProseMaker {
  readonly #random: () => number
  readonly #words: readonly string[]
  readonly #total: number

  /** `words` in all, of which each is used as often as its rank has it. */
  constructor(words = 40_000, seed = 11) {
    this.#random = seeded(seed)
    const made = new Set<string>()
    while (made.size < words) made.add(this.#stem() + this.#pick(ENDINGS))
    this.#words = [...made]
    this.#total = Math.log(words)
  }

  /** One post; its body has about `size` bytes. */
  post(id: string, size: number): Prose {
    const title = [this.word(), this.word(), this.word()].join(' ')
    const lines: string[] = []
    for (let bytes = 0; bytes < size; ) {
      const line = this.#sentence()
      lines.push(line)
      bytes += line.length + 2
    }
    return { id, title, tags: [this.word(), this.word()], body: lines.join('\n\n') }
  }

  /** A word, the frequent ones more often. */
  word(): string {
    const rank = Math.floor(Math.exp(this.#random() * this.#total)) - 1
    return this.#words[rank] ?? 'word'
  }

  #sentence(): string {
    const words = Array.from({ length: 14 }, () => (this.#random() < 0.4 ? this.#pick(STOPS) : this.word()))
    return `${words.join(' ')}.`
  }

  #stem(): string {
    const length = 2 + Math.floor(this.#random() * 3)
    return Array.from({ length }, () => this.#pick(SYLLABLES)).join('')
  }

  #pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)] as T
  }
}
