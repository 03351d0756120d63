import { composed } from '#lib/text/normal-form.ts'

/** Names of devices on Windows, whatever their ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i
/** Characters that some system does not take in names. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const REFUSED = /[\u0000-\u001f\u007f-\u009f\\:*?"<>|\ufffd\ud800-\udfff\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u

const MOST_LETTERS = 200
const DEEPEST = 12

/** Returns whether a file or folder is no part of a module: its name begins with a dot, or it is where npm puts packages. */
export function isLeftOut(name: string): boolean {
  return name.startsWith('.') || name.toLowerCase() === 'node_modules'
}

/** Returns the reason why a path can't be that of a file of a module, as the end of a sentence; undefined where it can. */
export function treePathFault(path: string): string | undefined {
  if (path.length > MOST_LETTERS) return `is over ${MOST_LETTERS} characters long`
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is an absolute path'
  if (path !== composed(path)) return 'is not in Unicode normal form C'
  const names = path.split('/')
  if (names.length > DEEPEST) return `is over ${DEEPEST} folders deep`
  for (const name of names) {
    if (name === '..') return 'leads out of the module'
    if (name === '' || name === '.') return 'has an empty part'
    if (REFUSED.test(name)) return 'has a character that not every system takes'
    if (isLeftOut(name)) return `has a part that modules don't have ("${name}")`
    if (/[. ]$/.test(name) || name.startsWith(' ')) return 'has a part that begins with a space, or ends with one or a dot'
    if (DEVICE.test(name)) return 'has a part that is a device on Windows'
  }
  return undefined
}

/** Finds names that some file systems take for one: files and folders that differ in case alone, and files that are folders, too. */
export class TakenPaths {
  readonly #files = new Map<string, string>()
  readonly #folders = new Map<string, string>()

  /** Returns the reason why a file can't be added to those before, as the end of a sentence. */
  add(path: string): string | undefined {
    const folded = foldedOf(path)
    const twin = this.#files.get(folded)
    if (twin !== undefined) return twin === path ? 'is there twice' : `differs only in case from "${twin}"`
    if (this.#folders.has(folded)) return 'is a file and a folder'
    this.#files.set(folded, path)
    const slash = path.lastIndexOf('/')
    return slash < 0 ? undefined : this.addFolder(path.slice(0, slash))
  }

  /** As `add`, for a folder; it may come several times. */
  addFolder(path: string): string | undefined {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const fault = this.#enter(path.slice(0, slash))
      if (fault) return fault
    }
    return this.#enter(path)
  }

  #enter(folder: string): string | undefined {
    const folded = foldedOf(folder)
    if (this.#files.has(folded)) return 'is below a file'
    const twin = this.#folders.get(folded)
    if (twin !== undefined && twin !== folder) return `is in a folder that differs only in case from "${twin}"`
    this.#folders.set(folded, folder)
    return undefined
  }
}

/** Both ways: `ß` and `SS`, `ſ` and `s` are one on some systems. */
function foldedOf(path: string): string {
  return path.toUpperCase().toLowerCase()
}
