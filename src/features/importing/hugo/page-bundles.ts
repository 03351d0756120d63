import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isBundlePage } from '../bundles.ts'

const SECTION = /^_index(?:\.[\w-]+)?\.\w+$/i

/** Tells which texts of a folder of content are parts of a page in Hugo, and have none of their own. */
export class PageBundles {
  readonly #root: string
  readonly #isLeftOut: (path: string, isFolder: boolean) => boolean
  readonly #known = new Map<string, Promise<boolean>>()

  constructor(root: string, isLeftOut: (path: string, isFolder: boolean) => boolean) {
    this.#root = root
    this.#isLeftOut = isLeftOut
  }

  /** Returns whether a file lies in the folder of a page, at any depth. The page of a folder is a part of those above alone. */
  isPart(path: string): Promise<boolean> {
    const name = basename(path)
    const folder = dirname(path)
    return this.#isWithin(isBundlePage(name) || SECTION.test(name) ? dirname(folder) : folder)
  }

  async #isWithin(folder: string): Promise<boolean> {
    return folder !== '.' && ((await this.#hasPage(folder)) || this.#isWithin(dirname(folder)))
  }

  #hasPage(folder: string): Promise<boolean> {
    const known = this.#known.get(folder) ?? this.#look(folder)
    this.#known.set(folder, known)
    return known
  }

  async #look(folder: string): Promise<boolean> {
    const names = await readdir(join(this.#root, folder)).catch(() => [])
    return names.some((name) => isBundlePage(name) && !this.#isLeftOut(`${folder}/${name}`, false))
  }
}
