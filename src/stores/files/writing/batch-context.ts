import { candidates, describedFile, formOf } from '#core/files/layout.ts'
import { readHead } from '#core/format/read.ts'
import { isPrivate, type Key, type Kind } from '#core/key.ts'
import type { StoredBlob } from '#core/media/blobs.ts'
import type { Claim } from '#core/store.ts'
import type { Shape } from '#core/types/content-type.ts'
import { Conflict } from '#lib/errors.ts'
import type { FileBytes } from '#lib/files/bytes.ts'
import type { Stamp } from '#lib/files/stamp.ts'
import type { Along, BackFile, GoneFile } from '#stores/engine/along.ts'
import { type BatchContext, type Draft, type Outcome, unreadable } from '#stores/engine/drafts.ts'
import { newFile } from '#stores/engine/new-file.ts'
import { PRIVATE, type Reading, type Tree } from '../disk/tree.ts'
import type { BrowseIndex } from '../index/browse-index.ts'
import type { Documents } from '../registry/documents.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { type Entry, pathOf } from '../registry/registry.ts'
import { Beside, type BesideBytes } from './beside.ts'
import { type InGit, RecordFiles } from './record-files.ts'
import type { Edit, Step } from './steps.ts'

interface Deps {
  readonly tree: Tree
  readonly registry: FileRegistry
  readonly index: BrowseIndex
  readonly documents: Documents
  readonly inGit?: InGit | undefined
  /** As in `FilesOptions`. */
  readonly besideBytes?: BesideBytes | undefined
}

/** The files of a site as they are now, on which batches are planned, and what the effects of batches come to in them. */
export class FilesContext implements BatchContext {
  readonly #tree: Tree
  readonly #registry: FileRegistry
  readonly #index: BrowseIndex
  readonly #documents: Documents
  readonly #inGit: InGit | undefined
  /** The states of the files that were read, by path. */
  readonly #stamps = new Map<string, Stamp>()
  readonly #beside: Beside
  readonly #recordFiles: RecordFiles

  constructor({ tree, registry, index, documents, inGit, besideBytes }: Deps) {
    this.#tree = tree
    this.#registry = registry
    this.#index = index
    this.#documents = documents
    this.#inGit = inGit
    this.#beside = new Beside(tree, besideBytes)
    this.#recordFiles = new RecordFiles({ tree, registry, beside: this.#beside, inGit })
  }

  /** Looks at the disk first: an author may have saved, made or removed the file a moment ago. */
  document(key: Key): Draft | undefined {
    const known = this.#registry.claims(key).map(pathOf)
    const possible = this.#foldersOf(key).flatMap((folder) => candidates(key).map((name) => `${folder}/${name}`))
    this.#registry.lookAtPlaces([...known, ...possible])
    const [entry, second] = this.#registry.claims(key)
    if (second) throw unreadable(this.#registry.head(key))
    const reading = entry && (this.#hot(key, entry) ?? this.#tree.read(pathOf(entry), Number.MAX_SAFE_INTEGER))
    if (!reading) return undefined
    const path = pathOf(entry)
    const { stamp } = reading
    const bytes = Buffer.from(reading.bytes)
    const file = this.#file(key.kind, path)
    this.#stamps.set(path, stamp)
    const read = () => readHead(key, this.shape(key.kind), bytes, formOf(key.kind, file), path)
    const head = stamp === entry.stamp ? entry.head : read()
    return { key, file, bytes, head, beside: this.beside(key.kind, file) }
  }

  beside(kind: Kind, file: string): FileBytes | undefined {
    const path = this.#described(kind, file)
    return path === undefined ? undefined : this.#beside.at(path)
  }

  async given(kind: Kind, file: string, bytes: StoredBlob): Promise<FileBytes | undefined> {
    const path = this.#described(kind, file)
    if (path === undefined) throw new Error(`Documents of ${kind} have no bytes beside them.`)
    return this.#beside.given(path, bytes)
  }

  along(document: Draft, file: string | undefined): Promise<readonly Along[]> {
    return this.#recordFiles.along(document, file)
  }

  others(_: Key, folder: string, removedIn: string | undefined): Promise<readonly string[]> {
    return this.#recordFiles.others(folder, removedIn)
  }

  back(key: Key, file: string, commit: string): Promise<readonly BackFile[]> {
    return this.#recordFiles.back(key, file, commit)
  }

  /** Forgets what is needed no more once the batches are kept, or refused. */
  discard(): Promise<void> {
    return this.#recordFiles.discard()
  }

  /** The bytes of a file that need not be read: they are known, and it is as it was when it was read. */
  #hot(key: Key, entry: Entry): Reading | undefined {
    const bytes = this.#documents.source(key, entry.head.version)
    return bytes && this.#tree.stamp(pathOf(entry)) === entry.stamp ? { bytes, stamp: entry.stamp } : undefined
  }

  twins(key: Key): readonly string[] {
    return this.#registry.caseTwins(key)
  }

  holders(kind: Kind, { field, value }: Claim): readonly string[] {
    // No watcher covers private files: another process may have put one there a moment ago.
    if (isPrivate(kind)) this.#registry.look(`${PRIVATE}/${kind.slice(1)}`)
    return this.#index.holders(kind, field, value)
  }

  readonly fileFor: typeof newFile = (key, former, was) => {
    const file = newFile(key, former, was)
    const path = this.path(key.kind, file)
    const isOccupied = !this.#stamps.has(path) && this.#tree.inTheWay(path) !== undefined
    if (isOccupied) throw new Conflict(`"${path}" is in the way.`)
    const described = was && this.#described(key.kind, file)
    if (described !== undefined && !this.#stamps.has(path)) this.#beside.mustBeFree(described)
    return file
  }

  async placed(kind: Kind, file: string, bytes: Buffer): Promise<Buffer> {
    return this.#inGit && !isPrivate(kind) ? this.#inGit.checkedOut(this.path(kind, file), bytes) : bytes
  }

  shape(kind: Kind): Shape {
    return this.#registry.shape(kind)
  }

  path(kind: Kind, file: string): string {
    return `${this.#root(kind)}/${file}`
  }

  /** Returns the edits that a batch comes to. A file that goes is first: on some disks it has the name of one that comes. */
  edits(outcomes: readonly Outcome[]): Edit[] {
    const steps = outcomes.flatMap((outcome) => {
      const { key, gone = [] } = outcome
      return [...this.#stepsOf(outcome), ...gone.map((file) => this.#recordFiles.goneStep({ ...file, key }))]
    })
    const edits = steps.map(({ before, after, stamp: _, document: __, ...file }) => ({
      ...file,
      existed: before !== undefined,
      after,
    }))
    return [...edits.filter(({ after }) => !after), ...edits.filter(({ after }) => after)]
  }

  /**
   * Returns the steps that all batches come to, without those that change no byte; what comes is before what goes, and the files of
   * a record before it: without it, anyone might see them.
   */
  steps(outcomes: readonly Outcome[], gone: readonly GoneFile[]): Step[] {
    const changing = outcomes.flatMap((outcome) => this.#stepsOf(outcome))
    const away = gone.map((file) => this.#recordFiles.goneStep(file))
    return [...changing.filter(({ after }) => after), ...away, ...changing.filter(({ after }) => !after)]
  }

  /**
   * One file, or two where the document comes to be in another; and what lies beside it, which comes after it and goes before it: a
   * document alone is whole, for its bytes are a blob, too.
   */
  #stepsOf({ key, before, after }: Outcome): Step[] {
    const isInPlace = before?.file === after?.file
    const gone = before && !isInPlace ? [...this.#besideStep(key, before, undefined), this.#step(key, before, undefined)] : []
    if (!after) return gone
    const files = this.#recordFiles.steps(before, after)
    const was = isInPlace ? before : undefined
    const isSame = was?.bytes.equals(after.bytes)
    return [...gone, ...(isSame ? [] : [this.#step(key, was, after)]), ...this.#besideStep(key, was, after), ...files]
  }

  #step(key: Key, before: Draft | undefined, after: Draft | undefined): Step {
    const path = this.path(key.kind, (after ?? before)?.file ?? '')
    const [stamp, document] = [before && this.#stamps.get(path), after?.document]
    return { path, key, before: before?.bytes, stamp, after: after?.bytes, ...(document && { document }) }
  }

  /** None where the same bytes lie there before and after: also those of a file that had no document. */
  #besideStep(key: Key, before: Draft | undefined, after: Draft | undefined): Step[] {
    const path = this.#described(key.kind, (after ?? before)?.file ?? '')
    if (path === undefined) return []
    const was = before ? before.beside : this.#beside.at(path)
    if (was === after?.beside) return []
    return [{ path, key, before: was, stamp: this.#beside.stamp(path), after: after?.beside, isBeside: true }]
  }

  #described(kind: Kind, file: string): string | undefined {
    const described = describedFile(kind, file)
    return described === undefined ? undefined : this.path(kind, described)
  }

  #file(kind: Kind, path: string): string {
    return path.slice(this.#root(kind).length + 1)
  }

  #root(kind: Kind): string {
    return isPrivate(kind) ? PRIVATE : this.#tree.content
  }

  #foldersOf({ kind }: Key): string[] {
    if (isPrivate(kind)) return [`${PRIVATE}/${kind.slice(1)}`]
    const { content } = this.#tree
    return kind === 'pages' ? [`${content}/pages`, content] : [`${content}/${kind}`]
  }
}
