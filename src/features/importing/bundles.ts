import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hidingKeys } from '#frontmatter/hiding-words.ts'
import { keepsFilesBack } from '#frontmatter/other-tools.ts'
import type { Fields } from '#lib/json.ts'
import type { LeftItem } from './item.ts'
import { readPage } from './pages.ts'

/** Matches the names of pages that own the files beside them, each in its language and in all formats of Hugo: `index.de.md`. */
const INDEX = /^index(?:\.[\w-]+)?\.(?:md|mdown|markdown|mdx|html?|org|adoc|asciidoc|ad|rst|pandoc|pdc)$/i
/** Matches the names of texts that say in front matter whether they are hidden, if they are. */
const WITH_FRONT_MATTER = /\.(?:md|mdown|markdown|mdx|html?)$/i

/** Returns whether a file of this name is a page that owns the files beside it. */
export function isBundlePage(name: string): boolean {
  return INDEX.test(name)
}

/**
 * Tells which files lie beside a page that is not public, or keeps them back. Media are for everyone, and these were not: whether
 * by a word of the page, or by what `hiding` says of its path.
 */
export class HiddenFolders {
  readonly #root: string
  readonly #now: number
  readonly #hiding: (path: string) => Promise<boolean>
  readonly #adapted: ((bytes: Buffer) => Buffer) | undefined
  readonly #known = new Map<string, Promise<boolean>>()

  /** `adapted` makes of the bytes of a page those that Quire reads. */
  constructor(
    root: string,
    now: number,
    hiding: (path: string) => Promise<boolean> = async () => false,
    adapted?: (bytes: Buffer) => Buffer,
  ) {
    this.#root = root
    this.#now = now
    this.#hiding = hiding
    this.#adapted = adapted
  }

  /** Returns whether the page that owns a file is hidden, or its own path is. */
  async hides(path: string): Promise<boolean> {
    return (await this.#isHidden(dirname(path))) || this.#hiding(path)
  }

  #isHidden(folder: string): Promise<boolean> {
    const known = this.#known.get(folder) ?? this.#look(folder)
    this.#known.set(folder, known)
    return known
  }

  async #look(folder: string): Promise<boolean> {
    const names = (await readdir(join(this.#root, folder)).catch(() => [])).filter((name) => isBundlePage(name.replace(/^_/, '')))
    const pages = names.map(async (name) => ({ isOwner: !name.startsWith('_'), isHidden: await this.#hidesPage(folder, name) }))
    const found = await Promise.all(pages)
    const owners = found.filter(({ isOwner }) => isOwner)
    // Files are of every language of a page: one that is public shows them.
    if (owners.length > 0) return owners.every(({ isHidden }) => isHidden)
    if (found.length > 0 && found.every(({ isHidden }) => isHidden)) return true
    return folder === '.' ? false : this.#isHidden(dirname(folder))
  }

  async #hidesPage(folder: string, name: string): Promise<boolean> {
    const path = folder === '.' ? name : `${folder}/${name}`
    const page = await readPage(join(this.#root, path), path, this.#adapted)
    // Of what can't be read nobody knows.
    if ('problem' in page || this.#says(page.data)) return true
    if (!WITH_FRONT_MATTER.test(name) && Object.keys(page.data).length === 0) return true
    return this.#hiding(path)
  }

  #says(data: Readonly<Fields>): boolean {
    return hidingKeys(data, this.#now).length > 0 || keepsFilesBack(data)
  }
}

/** Returns what is said of a file beside a page that is not public. */
export function besideHidden(from: string): LeftItem {
  return { is: 'left', from, reason: 'files beside what is not public, which media would show to everyone' }
}
