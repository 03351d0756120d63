import { dirname } from 'node:path/posix'
import { keyOfFile } from '#core/files/layout.ts'
import type { Key } from '#core/key.ts'
import { isAttachmentName, ownFolderOf } from '#core/media/attachments.ts'
import type { FolderBefore } from '#git/history/removed-files.ts'
import type { FileBytes } from '#lib/files/bytes.ts'
import { composed } from '#lib/text/normal-form.ts'
import { type Along, type BackFile, folderOfBack, type GoneFile, goesAway, goingFolder } from '#stores/engine/along.ts'
import type { Draft } from '#stores/engine/drafts.ts'
import { PRIVATE, type Tree } from '../disk/tree.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import type { Beside } from './beside.ts'
import { ownFiles } from './own-files.ts'
import { Returning, returningFiles } from './returning.ts'
import type { Step } from './steps.ts'

/** The view that the git of a site has of its files. Paths are from the site's root. */
export interface InGit {
  /** Returns the bytes that git would check out in place of these, in a file that is new to it. */
  checkedOut(path: string, bytes: Buffer): Promise<Buffer>
  /** Returns those of the files that git is told to ignore, and does not hold. */
  ignored(paths: readonly string[]): Promise<ReadonlySet<string>>
  /** Returns a folder as it was before a commit. */
  folderBefore(commit: string, folder: string): FolderBefore
}

interface Deps {
  readonly tree: Tree
  readonly registry: FileRegistry
  readonly beside: Beside
  readonly inGit?: InGit | undefined
}

/** The files in the folders of records that batches move, remove and bring back. */
export class RecordFiles {
  readonly #tree: Tree
  readonly #registry: FileRegistry
  readonly #beside: Beside
  readonly #inGit: InGit | undefined
  readonly #returning: Returning

  constructor({ tree, registry, beside, inGit }: Deps) {
    this.#tree = tree
    this.#registry = registry
    this.#beside = beside
    this.#inGit = inGit
    this.#returning = new Returning(tree.real(`${PRIVATE}/cache/returning`))
  }

  /** As `BatchContext.along`. */
  async along(document: Draft, file: string | undefined): Promise<readonly Along[]> {
    const folder = goingFolder(document, file)
    const root = this.#tree.content
    if (!folder || !this.#tree.isPlain(`${root}/${folder.from}`)) return []
    const { from, to } = folder
    const own = await this.#own(from)
    if (to === undefined) return this.#away(from, own)
    return own.filter(isAttachmentName).flatMap((name) => {
      this.#beside.mustBeFree(`${root}/${to}/${name}`)
      return this.#found(`${from}/${name}`).map((found) => ({ ...found, to: `${to}/${name}` }))
    })
  }

  /** As `BatchContext.others`. */
  async others(folder: string, removedIn: string | undefined): Promise<readonly string[]> {
    const path = `${this.#tree.content}/${folder}`
    if (!this.#tree.isPlain(path)) return []
    const own = await this.#own(folder)
    if (own.length === 0 || removedIn === undefined) return own.map((name) => `${folder}/${name}`)
    const before = await this.#inGit?.folderBefore(removedIn, path).names()
    // What git ignores stayed there when the record went.
    const ignored = await this.#inGit?.ignored(own.map((name) => `${path}/${name}`))
    return own.filter((name) => !before?.has(name) && !ignored?.has(`${path}/${name}`)).map((name) => `${folder}/${name}`)
  }

  /** The files in a record's folder that are its own, from there. */
  async #own(folder: string): Promise<string[]> {
    const { files, records } = await ownFiles(this.#tree.real(`${this.#tree.content}/${folder}`))
    // A record without a folder whose file can't be read may have had one.
    const isOwner = (one: string) => {
      const key = records.has(one) ? keyOfFile(`${folder}/${one}.md`) : undefined
      return key !== undefined && this.#registry.head(key)?.problem?.severity === 'error'
    }
    return files.filter((name) => goesAway(composed(name), isOwner))
  }

  /** The files of a folder that are removed: what git does not keep stays. */
  async #away(folder: string, files: readonly string[]): Promise<readonly Along[]> {
    const paths = files.map((name) => `${this.#tree.content}/${folder}/${name}`)
    const ignored = paths.length > 0 ? await this.#inGit?.ignored(paths) : undefined
    return files.flatMap((name, at) => (ignored?.has(paths[at] ?? '') ? [] : this.#found(`${folder}/${name}`)))
  }

  /** As `BatchContext.back`. */
  async back(key: Key, file: string, commit: string): Promise<readonly BackFile[]> {
    const folder = folderOfBack(key, file)
    const root = this.#tree.content
    if (folder === undefined || !this.#inGit || !this.#tree.isPlain(`${root}/${folder}`)) return []
    const isRecord = (one: string) => {
      const owner = keyOfFile(`${folder}/${one}/index.md`)
      const head = owner && this.#registry.head(owner)
      return head !== undefined && ownFolderOf(head) !== undefined
    }
    const back: BackFile[] = []
    const removed = await this.#inGit.folderBefore(commit, `${root}/${folder}`).removed()
    for (const file of returningFiles(removed, isRecord)) {
      const path = `${folder}/${file.path}`
      // What lies there by now stays, and so does a link above it.
      const isFree = this.#tree.inTheWay(`${root}/${path}`) === undefined && this.#tree.isPlain(`${root}/${dirname(path)}`)
      const kept = isFree ? await this.#returning.keep(file) : undefined
      if (kept) back.push({ path, bytes: kept })
    }
    return back
  }

  /** Forgets what is needed no more once the batches are kept, or refused. */
  discard(): Promise<void> {
    return this.#returning.discard()
  }

  #found(from: string): { from: string; bytes: FileBytes }[] {
    const bytes = this.#beside.at(`${this.#tree.content}/${from}`)
    return bytes ? [{ from, bytes }] : []
  }

  /** Returns what a document, as a batch leaves it, has for steps of the files of its folder. */
  steps(before: Draft | undefined, after: Draft): Step[] {
    return [
      ...(after.along === before?.along ? [] : this.#alongSteps(after)),
      ...(after.back === before?.back ? [] : this.#backSteps(after)),
    ]
  }

  #alongSteps({ key, along = [] }: Draft): Step[] {
    return along.flatMap(({ from, to, bytes }): Step[] => {
      const path = `${this.#tree.content}/${to}`
      const made: Step = { path, key, before: undefined, stamp: undefined, after: bytes, isBeside: true }
      return [this.goneStep({ key, from, bytes }), made]
    })
  }

  #backSteps({ key, back = [] }: Draft): Step[] {
    return back.map(({ path, bytes }) => {
      const full = `${this.#tree.content}/${path}`
      return { path: full, key, before: undefined, stamp: undefined, after: bytes, isBeside: true }
    })
  }

  /** The step of a file that goes away. */
  goneStep({ key, from, bytes }: GoneFile): Step {
    const path = `${this.#tree.content}/${from}`
    return { path, key, before: bytes, stamp: this.#beside.stamp(path), after: undefined, isBeside: true }
  }
}
