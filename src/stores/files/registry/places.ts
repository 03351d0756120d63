import type { Problem } from '#core/document.ts'
import type { FileForm } from '#core/files/file-form.ts'
import {
  candidates,
  fileName,
  formOf,
  GROUPS_FILES,
  GROUPS_KEY,
  isData,
  isRecordName,
  isSettingsFile,
  type KindFolder,
  kindOfFolder,
  type Place,
  placeOf,
  placeOfSettings,
} from '#core/files/layout.ts'
import { isPrivate, type Key, type Kind, keyText, kindFault, MEDIA } from '#core/key.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { PRIVATE } from '../disk/tree.ts'
import { folderProblem } from './faults.ts'

/** Kinds and documents that the folders and files of a site represent, by their paths from its root. */
export class Places {
  readonly #content: string
  readonly #types: ContentTypes
  /** Paths of records in `_posts` and `_drafts`, by the texts of their keys. */
  readonly #dated = new Map<string, Set<string>>()
  /** Files are asked for folder by folder. */
  #last: { folder: string; found: KindFolder | undefined } | undefined

  constructor(content: string, types: ContentTypes) {
    this.#content = content
    this.#types = types
  }

  /** The kind of a folder's files, and the part of the folder below the kind's own; undefined where no documents are kept. */
  ofFolder(folder: string): KindFolder | undefined {
    if (this.#last?.folder !== folder) this.#last = { folder, found: this.#folder(folder) }
    return this.#last.found
  }

  #folder(folder: string): KindFolder | undefined {
    if (folder.startsWith(`${PRIVATE}/`)) return { kind: `.${folder.slice(PRIVATE.length + 1)}`, below: '' }
    return kindOfFolder(folder.slice(this.#content.length + 1))
  }

  /** Returns the place that a file represents. */
  ofFile(folder: string, name: string): Place {
    const found = this.ofFolder(folder)
    if (!found) return undefined
    if (folder === this.#content && isSettingsFile(name)) return placeOfSettings(name)
    const place = placeOf(found, found.below === '' ? name : `${found.below}/${name}`)
    if (found.words && place && 'key' in place) this.#remember(place.key, `${folder}/${name}`)
    return place
  }

  /** Returns the form in which a file of content, or a private one, is read. */
  formOf(kind: Kind, path: string): FileForm {
    return formOf(kind, isPrivate(kind) ? path : path.slice(this.#content.length + 1))
  }

  /** A name with a date can't be told from the id: those that were seen, now or in history, are known by it. */
  #remember(key: Key, path: string): void {
    const paths = this.#dated.get(keyText(key)) ?? new Set()
    this.#dated.set(keyText(key), paths.add(path))
  }

  /** The key of the document that a file of content is, or would be. */
  keyAt(path: string): Key | undefined {
    if (!path.startsWith(`${this.#content}/`)) return undefined
    const slash = path.lastIndexOf('/')
    const place = this.ofFile(path.slice(0, slash), path.slice(slash + 1))
    return place && 'key' in place ? place.key : undefined
  }

  /** Every path at which a file would be the document of a key of content, first the one where a new one is put. */
  candidates(key: Key): string[] {
    if (isPrivate(key.kind)) return []
    const folder = `${this.#content}/${key.kind}`
    const folders = key.kind === 'pages' ? [folder, this.#content] : [folder]
    const usual = [fileName(key), ...candidates(key)].flatMap((name) => folders.map((one) => `${one}/${name}`))
    const groups = GROUPS_FILES.map((name) => `${this.#content}/${name}`)
    const isOfGroups = keyText(key) === keyText(GROUPS_KEY)
    const others = [...(this.#dated.get(keyText(key)) ?? []), ...(isOfGroups ? groups : [])]
    return [...new Set([...usual.filter((path) => !groups.includes(path)), ...others])]
  }

  /** Returns whether a link in a folder is in the way of a document, or of folders with some: what is no sidecar may be a link in media. */
  isBlocking(folder: string, link: string): boolean {
    if (this.ofFolder(folder)?.kind !== MEDIA || !isRecordName(link)) return true
    return this.ofFile(folder, link) !== undefined
  }

  /** Returns whether documents of this kind can be in the content. */
  isContent(kind: Kind): boolean {
    if (kindFault(kind) !== undefined) return false
    return isData(kind) || this.#types.get(kind) !== undefined
  }

  /**
   * The kinds of content that a folder with these files is for: none for one of nothing, and for the root of all those of the files
   * that are right in it.
   */
  contentKinds(folder: string, files: ReadonlyMap<string, unknown>): Kind[] {
    const { kind } = this.ofFolder(folder) ?? {}
    if (kind === undefined || isPrivate(kind) || !this.isContent(kind)) return []
    if (folder !== this.#content) return [kind]
    const groups = GROUPS_FILES.filter((name) => files.has(name))
    return [...(files.size > groups.length ? [kind] : []), ...(groups.length > 0 ? [GROUPS_KEY.kind] : [])]
  }

  /** Returns the problem of a folder that can't be a kind. It is skipped, and reported. */
  faultOf(folder: string): Problem | undefined {
    const found = this.ofFolder(folder)
    if (found?.below !== '' || folder.startsWith(PRIVATE) || this.isContent(found.kind)) return undefined
    return folderProblem(folder)
  }
}
