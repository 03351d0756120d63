import { normalForm } from '#lib/text/normal-form.ts'

/** Characters that show nothing, which HFS+ overlooks in a name. */
const OVERLOOKED = /\p{Cf}/gu
/** A name as NTFS shortens it: `CMS~1` for `.cms`, and with four digits of a hash where many are alike. */
const SHORT = /^([^~]{1,6})~[0-9]+$/

const SLASH = 0x2f
const TILDE = 0x7e
/** Characters after a name that are dropped, or are another slash. */
const EXTRA: ReadonlySet<number> = new Set(Buffer.from('. :\\'))

/**
 * Compares paths that git tracks with one folder, as any file system may: case, Unicode form, characters that are overlooked and
 * short names do not tell names apart.
 */
export class PathAliases {
  readonly #names: readonly string[]
  /** The folder in capitals, to be compared byte by byte. */
  readonly #bytes: Buffer
  readonly #shortened: readonly string[]

  /** `folder` is from the top of the working tree, with `/`; '' for the top itself. */
  constructor(folder: string) {
    this.#names = folder === '' ? [] : folder.split('/').map(folded)
    this.#bytes = Buffer.from(folder.toUpperCase())
    this.#shortened = this.#names.map((name) => name.replaceAll(/[ .]/g, '').slice(0, 6))
  }

  /**
   * Returns the part of a path below the folder, in a form that all its aliases share; '' for the folder itself and those on the
   * way to it (a link there leads elsewhere), undefined for any other path.
   */
  below(path: string): string | undefined {
    const names = path.replaceAll('\\', '/').replace(/\/+$/, '').split('/')
    if (!names.slice(0, this.#names.length).every((name, at) => this.#isAt(at, name))) return undefined
    return names.slice(this.#names.length).map(folded).join('/')
  }

  /**
   * Returns false for the bytes of most paths of which `below` knows nothing: an index has a hundred thousand, and is looked through
   * at each change.
   */
  mayHave(bytes: Buffer, from: number, end: number): boolean {
    const wanted = this.#bytes
    let segment = from
    for (let at = from; at < end && at - from < wanted.length; at++) {
      const byte = bytes[at] ?? 0
      const expected = wanted[at - from] ?? 0
      if (byte >= 0x80 || expected >= 0x80) return true
      if (capital(byte) !== expected) return EXTRA.has(byte) || hasTilde(bytes, segment, end)
      if (byte === SLASH) segment = at + 1
    }
    return true
  }

  /** The form that `below` gives paths. */
  static folded(path: string): string {
    return path.split('/').map(folded).join('/')
  }

  #isAt(at: number, name: string): boolean {
    const plain = folded(name)
    if (plain === this.#names[at]) return true
    const [, start] = SHORT.exec(plain) ?? []
    const wanted = this.#shortened[at]
    return start !== undefined && wanted !== undefined && (start === wanted || isHashed(start, wanted))
  }
}

/** Windows drops dots and spaces at the end of a name, and takes what follows a colon for a stream of the file. */
function folded(name: string): string {
  const plain = name
    .replaceAll(OVERLOOKED, '')
    .replace(/(?<=.):.*$/s, '')
    .replace(/(?<=[^. ])[. ]+$/, '')
  return normalForm(plain, 'NFKC').toLowerCase().toUpperCase()
}

function capital(byte: number): number {
  return byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte
}

/** A short name has eight characters at most. */
function hasTilde(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end && at < from + 8; at++) if (bytes[at] === TILDE) return true
  return false
}

/** NTFS makes `CM1A2B~1` of the fifth name that begins alike. */
function isHashed(start: string, wanted: string): boolean {
  return /^..?[0-9A-F]{4}$/.test(start) && wanted.startsWith(start.slice(0, -4))
}
