/** Bytes that grow as numbers are written: each in as many groups of seven bits as it needs, the lowest first (LEB128). */
export class VarintWriter {
  #bytes = new Uint8Array(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** A whole number from 0 to 2^32 − 1. */
  write(value: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#grow()
    let rest = value
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }

  /** Takes in numbers as another wrote them. */
  copy(bytes: Uint8Array): void {
    while (this.#length + bytes.length > this.#bytes.length) this.#grow()
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Returns the bytes written so far. They are valid only until more is written. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #grow(): void {
    const grown = new Uint8Array(this.#bytes.length * 2)
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}

/** Reads what a `VarintWriter` wrote. */
export class VarintReader {
  readonly #bytes: Uint8Array
  #at = 0
  #end = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Reads from here on, up to `end`. */
  from(start: number, end: number): void {
    this.#at = start
    this.#end = end
  }

  /** The position at which the next number begins. */
  get at(): number {
    return this.#at
  }

  get isOver(): boolean {
    return this.#at >= this.#end
  }

  read(): number {
    const bytes = this.#bytes
    let byte = bytes[this.#at++] ?? 0
    if (byte < 0x80) return byte
    let value = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[this.#at++] ?? 0
      value |= (byte & 0x7f) << shift
    }
    return value >>> 0
  }

  /** Passes by `count` numbers. */
  skip(count: number): void {
    const bytes = this.#bytes
    let at = this.#at
    for (let left = count; left > 0; at++) if ((bytes[at] ?? 0) < 0x80) left--
    this.#at = at
  }
}
