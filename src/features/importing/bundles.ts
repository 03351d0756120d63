import { dirname, join } from 'node:path'
import { hidingKeys } from '#frontmatter/hiding-words.ts'
import type { Fields } from '#lib/json.ts'
import { isFile } from './folder.ts'
import type { LeftItem } from './item.ts'
import { readPage } from './pages.ts'

/** The pages that own the files beside them. */
const INDEXES = ['index.md', 'index.markdown', 'index.mdx', '_index.md', '_index.markdown']

/**
 * Tells which files lie beside a page that is not public. Media are for everyone, and these were not: whether by a word of the
 * page, or by what `hiding` says of its path.
 */
export class HiddenFolders {
  readonly #root: string
  readonly #now: number
  readonly #hiding: (path: string) => Promise<boolean>
  readonly #known = new Map<string, Promise<boolean>>()

  constructor(root: string, now: number, hiding: (path: string) => Promise<boolean> = async () => false) {
    this.#root = root
    this.#now = now
    this.#hiding = hiding
  }

  /** Returns whether the page that owns a file is hidden; false where none does. */
  hides(path: string): Promise<boolean> {
    return this.#isHidden(dirname(path))
  }

  #isHidden(folder: string): Promise<boolean> {
    const known = this.#known.get(folder) ?? this.#look(folder)
    this.#known.set(folder, known)
    return known
  }

  async #look(folder: string): Promise<boolean> {
    for (const name of INDEXES) {
      const path = folder === '.' ? name : `${folder}/${name}`
      if (!(await isFile(join(this.#root, path)))) continue
      const page = await readPage(join(this.#root, path), path)
      // Of what can't be read nobody knows.
      if ('problem' in page || this.#says(page.data) || (await this.#hiding(path))) return true
      if (name.startsWith('index')) return false
    }
    return folder === '.' ? false : this.#isHidden(dirname(folder))
  }

  #says(data: Readonly<Fields>): boolean {
    return hidingKeys(data, this.#now).length > 0
  }
}

/** Returns what is said of a file beside a page that is not public. */
export function besideHidden(from: string): LeftItem {
  return { is: 'left', from, reason: 'files beside what is not public, which media would show to everyone' }
}
