import type { ContentTypes } from '../../../core/content-type.ts'
import type { Problem } from '../../../core/document.ts'
import { type Kind, kindFault } from '../../../core/key.ts'
import { isData, kindOfFolder, type Place, placeOf } from '../disk/layout.ts'
import { PRIVATE } from '../disk/tree.ts'
import { folderProblem } from './faults.ts'

/** What the folders and files of a site stand for, by their paths from its root. */
export class Places {
  readonly #content: string
  readonly #types: ContentTypes

  constructor(content: string, types: ContentTypes) {
    this.#content = content
    this.#types = types
  }

  /** The kind of a folder's files, and the part of the folder below the kind's own; undefined where no documents are kept. */
  ofFolder(folder: string): { kind: Kind; below: string } | undefined {
    if (folder.startsWith(`${PRIVATE}/`)) return { kind: `.${folder.slice(PRIVATE.length + 1)}`, below: '' }
    return kindOfFolder(folder.slice(this.#content.length + 1))
  }

  /** What a file stands for. */
  ofFile(folder: string, name: string): Place {
    const found = this.ofFolder(folder)
    if (!found || (folder === this.#content && name === 'settings.yaml')) return undefined
    return placeOf(found.kind, found.below === '' ? name : `${found.below}/${name}`)
  }

  /** True for folders that hold something other than documents. */
  isForeign(folder: string): boolean {
    return folder === `${this.#content}/media`
  }

  /** Whether documents of this kind can be in the content. */
  isContent(kind: Kind): boolean {
    if (kindFault(kind) !== undefined) return false
    return isData(kind) || this.#types.get(kind) !== undefined
  }

  /** What is wrong with a folder that can't be a kind; it is passed by, and said to be. */
  faultOf(folder: string): Problem | undefined {
    const found = this.ofFolder(folder)
    if (found?.below !== '' || folder.startsWith(PRIVATE) || this.isContent(found.kind)) return undefined
    return folderProblem(folder)
  }
}
