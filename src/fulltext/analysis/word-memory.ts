/** Number of written words that are remembered, as a power of two. */
const SLOT_BITS = 17
const SLOTS = 2 ** SLOT_BITS
/** Number of slots that a word may be in. It is bounded so that words chosen to collide cost no more than new words. */
const TRIES = 8

/** The hash of nothing, and that of what has one UTF-16 unit more. */
export const NO_HASH = 0

export function hashWith(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + unit) | 0
}

/** A bounded cache of analysed words. It is looked up by an offset in a text, so that finding a known word creates no string. */
export class WordMemory<Word> {
  readonly #hashes = new Int32Array(SLOTS)
  readonly #written: string[] = new Array<string>(SLOTS).fill('')
  readonly #words: (Word | undefined)[] = new Array<Word | undefined>(SLOTS).fill(undefined)
  #turn = 0

  /** Returns the cached word for the text from `start` to `end`. */
  find(text: string, start: number, end: number): Word | undefined {
    return this.findBy(hashOf(text, start, end), text, start, end)
  }

  /** As `find`, by the hash of what is written there. */
  findBy(hash: number, text: string, start: number, end: number): Word | undefined {
    for (let probe = 0; probe < TRIES; probe++) {
      const slot = slotOf(hash, probe)
      if (this.#hashes[slot] === hash && isAt(text, start, end, this.#written[slot] ?? '')) return this.#words[slot]
    }
    return undefined
  }

  /** Remembers what was made of a written word, instead of something else where there is no room left. */
  add(written: string, word: Word): void {
    const hash = hashOf(written, 0, written.length)
    const slot = this.#slotFor(hash)
    this.#hashes[slot] = hash
    this.#written[slot] = written
    this.#words[slot] = word
  }

  #slotFor(hash: number): number {
    for (let probe = 0; probe < TRIES; probe++) {
      const slot = slotOf(hash, probe)
      if (this.#words[slot] === undefined) return slot
    }
    this.#turn = (this.#turn + 1) % TRIES
    return slotOf(hash, this.#turn)
  }
}

function isAt(text: string, start: number, end: number, written: string): boolean {
  const length = end - start
  if (written.length !== length) return false
  for (let i = 0; i < length; i++) {
    if (written.charCodeAt(i) !== text.charCodeAt(start + i)) return false
  }
  return true
}

function hashOf(text: string, start: number, end: number): number {
  let hash = NO_HASH
  for (let at = start; at < end; at++) hash = hashWith(hash, text.charCodeAt(at))
  return hash
}

function slotOf(hash: number, probe: number): number {
  return ((Math.imul(hash, 0x9e3779b1) >>> (32 - SLOT_BITS)) + probe) & (SLOTS - 1)
}
