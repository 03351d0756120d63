import { normalForm } from '#lib/normal-form.ts'

/** Characters that show nothing, which HFS+ overlooks in a name. */
const OVERLOOKED = /\p{Cf}/gu
/** A name as NTFS shortens it: `CMS~1` for `.cms`, and with four digits of a hash where many are alike. */
const SHORT = /^([^~]{1,6})~[0-9]+$/

/**
 * Compares paths that git tracks with one folder, as any file system may: case, Unicode form, characters that are overlooked and
 * short names do not tell names apart.
 */
export class PathAliases {
  readonly #names: readonly string[]
  readonly #shortened: readonly string[]

  /** `folder` is from the top of the working tree, with `/`. */
  constructor(folder: string) {
    this.#names = folder.split('/').map(folded)
    this.#shortened = this.#names.map((name) => name.replaceAll(/[ .]/g, '').slice(0, 6))
  }

  /** Returns whether a path is the folder, is below it, or is that of a folder on the way to it: a link there leads elsewhere. */
  touches(path: string): boolean {
    const names = path.replaceAll('\\', '/').split('/')
    return names.slice(0, this.#names.length).every((name, at) => this.#isAt(at, name))
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

/** NTFS makes `CM1A2B~1` of the fifth name that begins alike. */
function isHashed(start: string, wanted: string): boolean {
  return /^..?[0-9A-F]{4}$/.test(start) && wanted.startsWith(start.slice(0, -4))
}
