/** Returns the largest size that a sequence header among OBUs (AV1, 5.5) allows; undefined where none is in these bytes. */
export function largestOf(obus: Buffer): { readonly width: number; readonly height: number } | undefined {
  let found: { width: number; height: number } | undefined
  for (let at = 0; at < obus.length; ) {
    const head = obus[at++] ?? 0
    if (head & 4) at++
    let [length, shift] = [0, 0]
    // Without a length of its own, it goes on to the end.
    if (!(head & 2)) length = obus.length - at
    else {
      for (let more = true; more && shift < 56; shift += 7) {
        const byte = obus[at++] ?? 0
        length += (byte & 0x7f) * 2 ** shift
        more = byte >= 0x80
      }
    }
    if (((head >> 3) & 15) === 1) {
      const { width, height } = sequenceSize(new Bits(obus.subarray(at, at + Math.min(length, 4096))))
      found = { width: Math.max(width, found?.width ?? 0), height: Math.max(height, found?.height ?? 0) }
    }
    at += length
  }
  return found
}

/** A sequence header up to the sizes (5.5.1). */
function sequenceSize(bits: Bits): { width: number; height: number } {
  bits.next(4)
  if (bits.next(1)) bits.next(5)
  else operatingPoints(bits)
  const [across, down] = [bits.next(4) + 1, bits.next(4) + 1]
  return { width: bits.next(across) + 1, height: bits.next(down) + 1 }
}

function operatingPoints(bits: Bits): void {
  let delay = 0
  if (bits.next(1)) {
    bits.next(64)
    if (bits.next(1)) bits.variable()
    if (bits.next(1)) {
      delay = bits.next(5) + 1
      bits.next(42)
    }
  }
  const hasDisplayDelay = bits.next(1)
  for (let left = bits.next(5); left >= 0; left--) {
    bits.next(12)
    if (bits.next(5) > 7) bits.next(1)
    if (delay && bits.next(1)) bits.next(2 * delay + 1)
    if (hasDisplayDelay && bits.next(1)) bits.next(4)
  }
}

class Bits {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The next number of so many bits; 0 behind the last. */
  next(count: number): number {
    let number = 0
    for (let index = 0; index < count; index++) {
      number = number * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1)
      this.#at++
    }
    return number
  }

  /** Skips a number of variable length (4.10.3). */
  variable(): void {
    let zeros = 0
    while (zeros < 32 && !this.next(1)) zeros++
    this.next(zeros)
  }
}
