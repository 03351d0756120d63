/** A word that is near another, by its place in the list. */
export interface NearWord {
  readonly index: number
  readonly distance: number
}

/** Ranges up to so many words are looked at for their lengths before they are walked. */
const FEW = 64

/**
 * Walks sorted words as the tree of their beginnings: the rows of the table of distances are made once for all words that begin
 * alike, and words whose beginning is too far already are passed over by binary search. Distances are in code points; two
 * neighbours exchanged are one edit, and nothing is edited twice (optimal string alignment).
 */
export class NearWords {
  readonly #bytes: Uint8Array
  readonly #ends: Uint32Array
  readonly #word: readonly number[]
  readonly #edits: number
  /** A row for each code point of a beginning. */
  readonly #rows: Uint8Array
  readonly #path: number[] = []
  readonly #found: NearWord[] = []

  /** The bytes of the words, and where each one's end. */
  constructor(bytes: Uint8Array, ends: Uint32Array, word: string, edits: 1 | 2) {
    this.#bytes = bytes
    this.#ends = ends
    this.#word = Array.from(word, (letter) => letter.codePointAt(0) ?? 0)
    this.#edits = edits
    const width = this.#word.length + 1
    this.#rows = new Uint8Array(width * (width + edits + 1))
    for (let j = 0; j < width; j++) this.#rows[j] = Math.min(j, edits + 1)
  }

  /** The words within the edits, in the list's order. */
  find(): NearWord[] {
    this.#walk(0, this.#ends.length, 0, 0)
    return this.#found
  }

  /** The words of a range, all of which begin with the same `depth` code points in `at` bytes. */
  #walk(from: number, to: number, at: number, depth: number): void {
    const isEnd = from < to && this.#start(from) + at === this.#ends[from]
    if (isEnd) this.#take(from, depth)
    const first = isEnd ? from + 1 : from
    if (first < to && this.#least(depth) < this.#edits) this.#walkAll(first, to, at, depth)
    else if (first < to) this.#walkFew(first, to, at, depth)
  }

  #take(index: number, depth: number): void {
    const distance = this.#cell(depth, this.#word.length)
    if (this.#high(depth) === this.#word.length && distance <= this.#edits) this.#found.push({ index, distance })
  }

  #walkAll(from: number, to: number, at: number, depth: number): void {
    for (let index = from; index < to; ) {
      const code = this.#codeAt(index, at)
      const end = this.#endOf(index, to, at, code)
      this.#descend(index, end, at, depth, code)
      index = end
    }
  }

  /** Walks on if no edit is left. The next code point can then only be one that needs no edit. */
  #walkFew(from: number, to: number, at: number, depth: number): void {
    for (const code of this.#possible(depth)) {
      const index = this.#beginOf(from, to, at, code)
      if (index < to && this.#codeAt(index, at) === code) this.#descend(index, this.#endOf(index, to, at, code), at, depth, code)
    }
  }

  #possible(depth: number): number[] {
    const codes: number[] = []
    for (let j = this.#low(depth); j <= this.#high(depth); j++) {
      const code = this.#word[j]
      if (code === undefined) break
      if (this.#cell(depth, j) <= this.#edits && !codes.includes(code)) codes.push(code)
    }
    return codes.sort((one, another) => one - another)
  }

  #descend(from: number, to: number, at: number, depth: number, code: number): void {
    if (to - from <= FEW && !this.#mayBeLong(from, to, at, depth)) return
    this.#path[depth] = code
    if (this.#fill(depth + 1, code) <= this.#edits) this.#walk(from, to, at + widthOf(code), depth + 1)
  }

  /** Returns whether one of the words has enough bytes to be long enough. */
  #mayBeLong(from: number, to: number, at: number, depth: number): boolean {
    const least = this.#word.length - this.#edits - depth
    for (let index = from; index < to; index++) {
      if ((this.#ends[index] ?? 0) - this.#start(index) - at >= least) return true
    }
    return false
  }

  /**
   * Makes the row of a beginning that ends with `code`; its least entry. Entries further from the diagonal than there are edits
   * are too many, and only those beside it are ever read.
   */
  #fill(depth: number, code: number): number {
    const rows = this.#rows
    const width = this.#word.length + 1
    const row = depth * width
    const last = row - width
    const most = this.#edits + 1
    const low = this.#low(depth)
    const high = this.#high(depth)
    if (low > 0) rows[row + low - 1] = most
    if (high < width - 1) rows[row + high + 1] = most
    let least = most
    for (let j = low; j <= high; j++) {
      const cell =
        j === 0
          ? Math.min(depth, most)
          : Math.min(this.#changed(last, j, code), (rows[last + j] ?? 0) + 1, (rows[row + j - 1] ?? 0) + 1, most)
      const exchanged = depth > 1 && j > 1 && this.#word[j - 1] === this.#path[depth - 2] && this.#word[j - 2] === code
      rows[row + j] = exchanged ? Math.min(cell, (rows[last - width + j - 2] ?? 0) + 1) : cell
      least = Math.min(least, rows[row + j] ?? most)
    }
    return least
  }

  #changed(last: number, j: number, code: number): number {
    return (this.#rows[last + j - 1] ?? 0) + (this.#word[j - 1] === code ? 0 : 1)
  }

  #least(depth: number): number {
    let least = this.#edits + 1
    for (let j = this.#low(depth); j <= this.#high(depth); j++) least = Math.min(least, this.#cell(depth, j))
    return least
  }

  #low(depth: number): number {
    return Math.max(0, depth - this.#edits)
  }

  #high(depth: number): number {
    return Math.min(this.#word.length, depth + this.#edits)
  }

  #cell(depth: number, j: number): number {
    return this.#rows[depth * (this.#word.length + 1) + j] ?? 0
  }

  #start(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] ?? 0)
  }

  /** The first word of a range whose code point at `at` is `code` or comes after it. */
  #beginOf(from: number, to: number, at: number, code: number): number {
    let [low, high] = [from, to]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#codeAt(middle, at) < code) low = middle + 1
      else high = middle
    }
    return low
  }

  /**
   * The first word after `index` whose code point at `at` is not `code`: looked for in growing steps, as most ranges are short.
   */
  #endOf(index: number, to: number, at: number, code: number): number {
    let step = 1
    let known = index
    while (known + step < to && this.#codeAt(known + step, at) === code) {
      known += step
      step *= 2
    }
    return this.#beginOf(known + 1, Math.min(known + step, to), at, code + 1)
  }

  /** The code point of a word that begins at its byte `at`. The list holds whole UTF-8 alone. */
  #codeAt(index: number, at: number): number {
    const bytes = this.#bytes
    const place = this.#start(index) + at
    const lead = bytes[place] ?? 0
    if (lead < 0x80) return lead
    const second = (bytes[place + 1] ?? 0) & 0x3f
    if (lead < 0xe0) return ((lead & 0x1f) << 6) | second
    const third = (bytes[place + 2] ?? 0) & 0x3f
    if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third
    return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | ((bytes[place + 3] ?? 0) & 0x3f)
  }
}

function widthOf(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}
