/** Number of written words that are remembered, as powers of two: at first, and at most. */
const FIRST_BITS = 10
const MOST_BITS = 17
/** Number of slots that a word may be in. It is bounded so that words chosen to collide cost no more than new words. */
const TRIES = 8

/** The hash of nothing, and that of what has one UTF-16 unit more. */
export const NO_HASH = 0

export function hashWith(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + unit) | 0
}

/** A bounded cache of analysed words. It is looked up by an offset in a text, so that finding a known word creates no string. */
export class WordMemory<Word> {
  #bits = FIRST_BITS
  #hashes = new Int32Array(2 ** FIRST_BITS)
  #written = emptySlots<string>(FIRST_BITS, '')
  #words = emptySlots<Word | undefined>(FIRST_BITS, undefined)
  #count = 0
  #turn = 0

  /** Returns the cached word for the text from `start` to `end`. */
  find(text: string, start: number, end: number): Word | undefined {
    return this.findBy(hashOf(text, start, end), text, start, end)
  }

  /** As `find`, by the hash of what is written there. */
  findBy(hash: number, text: string, start: number, end: number): Word | undefined {
    for (let probe = 0; probe < TRIES; probe++) {
      const slot = slotOf(hash, probe, this.#bits)
      if (this.#hashes[slot] === hash && isAt(text, start, end, this.#written[slot] ?? '')) return this.#words[slot]
    }
    return undefined
  }

  /** Remembers what was made of a written word, instead of something else where there is no room left. */
  add(written: string, word: Word): void {
    if (this.#count * 2 >= this.#words.length && this.#bits < MOST_BITS) this.#grow()
    this.#put(hashOf(written, 0, written.length), written, word)
  }

  #put(hash: number, written: string, word: Word): void {
    const slot = this.#slotFor(hash)
    if (this.#words[slot] === undefined) this.#count++
    this.#hashes[slot] = hash
    this.#written[slot] = written
    this.#words[slot] = word
  }

  #grow(): void {
    const [hashes, written, words] = [this.#hashes, this.#written, this.#words]
    // By four: to go through what there is costs less than to do so often.
    this.#bits = Math.min(this.#bits + 2, MOST_BITS)
    this.#hashes = new Int32Array(2 ** this.#bits)
    this.#written = emptySlots(this.#bits, '')
    this.#words = emptySlots(this.#bits, undefined)
    this.#count = 0
    for (const [slot, word] of words.entries())
      if (word !== undefined) this.#put(hashes[slot] ?? NO_HASH, written[slot] ?? '', word)
  }

  #slotFor(hash: number): number {
    for (let probe = 0; probe < TRIES; probe++) {
      const slot = slotOf(hash, probe, this.#bits)
      if (this.#words[slot] === undefined) return slot
    }
    this.#turn = (this.#turn + 1) % TRIES
    return slotOf(hash, this.#turn, this.#bits)
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

function slotOf(hash: number, probe: number, bits: number): number {
  return ((Math.imul(hash, 0x9e3779b1) >>> (32 - bits)) + probe) & (2 ** bits - 1)
}

function emptySlots<Value>(bits: number, empty: Value): Value[] {
  return new Array<Value>(2 ** bits).fill(empty)
}
