import { blaming } from '#core/blame.ts'
import { fieldOf } from '#core/comparison.ts'
import type { Document, Head } from '#core/document.ts'
import type { EditThread } from '#core/format/edit-thread.ts'
import { readDocument, readHead } from '#core/format/read.ts'
import { isPrivate, type Key, keyText } from '#core/key.ts'
import { candidates, fileName } from '#core/layout.ts'
import { matches } from '#core/operators.ts'
import type { Change, Claim, Put } from '#core/store.ts'
import { CaseConflict, Conflict, NotFound, Stale, Unreadable } from '#lib/errors.ts'
import type { Stamp } from '#lib/file-stamp.ts'
import { Slices } from '#lib/slices.ts'
import { PRIVATE, type Tree } from '../disk/tree.ts'
import type { BrowseIndex } from '../index/browse-index.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { pathOf } from '../registry/registry.ts'

/**
 * The effect of a batch on one file: its new bytes, or none if it is removed. `before` is its former content, `stamp` its state
 * at that time.
 */
export interface Step {
  path: string
  key: Key
  before: Buffer | undefined
  stamp: Stamp | undefined
  after: Buffer | undefined
  /** The document that the new bytes are. */
  document?: Document
}

/** The effect of one batch on one file, on top of the batches before it: its new bytes, or none if it is removed. */
export interface Edit {
  path: string
  key: Key
  /** True if the file existed before. */
  existed: boolean
  after: Buffer | undefined
}

/** A document as the batch has it so far. */
interface Draft {
  path: string
  extension: string
  bytes: Buffer
  head: Head
}

/** Files and documents as batches make them. */
interface Staged {
  steps: Map<string, Step>
  drafts: Map<string, Draft | undefined>
}

interface Deps {
  tree: Tree
  registry: FileRegistry
  index: BrowseIndex
  editing: EditThread
}

/** Works out what batches do to the files, one on top of the other, from what the disk holds now. Touches nothing. */
export class Plan {
  readonly #tree: Tree
  readonly #registry: FileRegistry
  readonly #index: BrowseIndex
  readonly #editing: EditThread
  /** The effects of the batches added so far, and those of the batch being added. */
  #settled: Staged = emptyStage()
  #open: Staged = emptyStage()

  constructor({ tree, registry, index, editing }: Deps) {
    this.#tree = tree
    this.#registry = registry
    this.#index = index
    this.#editing = editing
  }

  /** Adds a batch and returns its edits of files. Throws if any of its changes fails; then none is made. One batch at a time. */
  async add(changes: readonly Change[]): Promise<Edit[]> {
    this.#open = emptyStage()
    const slices = new Slices()
    for (const change of changes) {
      if (slices.isOver) await slices.pause()
      if ('remove' in change) this.#remove(change.key, change.expects)
      else await this.#put(change).catch(blaming(change.key, changes))
    }
    const { steps, drafts } = this.#open
    this.#open = emptyStage()
    const edits = [...steps.values()].flatMap((step) => editOf(step, this.#settled.steps.get(step.path)))
    for (const [path, step] of steps) this.#settled.steps.set(path, step)
    for (const [text, draft] of drafts) this.#settled.drafts.set(text, draft)
    return edits
  }

  /** The steps of all batches, without those that change no byte; what comes is before what goes. */
  steps(): Step[] {
    const steps = [...this.#settled.steps.values()].filter(({ before, after }) => !sameBytes(before, after))
    return [...steps.filter(({ after }) => after), ...steps.filter(({ after }) => !after)]
  }

  #draft(text: string): { draft: Draft | undefined } | undefined {
    const stage = [this.#open, this.#settled].find(({ drafts }) => drafts.has(text))
    return stage && { draft: stage.drafts.get(text) }
  }

  #drafts(): Map<string, Draft | undefined> {
    return new Map([...this.#settled.drafts, ...this.#open.drafts])
  }

  #remove(key: Key, expects: string | undefined): void {
    const claims = this.#look(key)
    if (claims > 1 && !this.#draft(keyText(key))) throw this.#unreadable(this.#registry.head(key))
    const draft = this.#current(key)
    if (expects !== undefined && draft?.head.version !== expects) throw new Stale()
    if (!draft) return
    this.#step(draft.path, key).after = undefined
    this.#open.drafts.set(keyText(key), undefined)
  }

  async #put({ key, put, from, expects, unique }: Extract<Change, { put: Put }>): Promise<void> {
    const start = this.#current(from ?? key)
    const moves = from !== undefined && keyText(from) !== keyText(key)
    if (expects === 'absent' && start) throw new Conflict(`"${(from ?? key).id}" is there already.`)
    if (expects !== undefined && expects !== 'absent' && start?.head.version !== expects) throw new Stale()
    if (from && !start) throw new NotFound()
    if (start?.head.problem?.severity === 'error') throw this.#unreadable(start.head)
    if (moves && this.#current(key)) throw new Conflict(`"${key.id}" is taken.`)
    if (moves || !start) this.#checkCase(key, from)
    for (const claim of unique ?? []) this.#checkClaim(key, from, claim)
    const { document, ...draft } = await this.#edit(key, put, start, moves)
    const step = this.#step(draft.path, key)
    if (step.stamp !== undefined && step.before === undefined) throw new Conflict(`"${draft.path}" is in the way.`)
    step.after = draft.bytes
    step.document = document
    if (from && moves && start) this.#step(start.path, from).after = undefined
    if (from && moves) this.#open.drafts.set(keyText(from), undefined)
    this.#open.drafts.set(keyText(key), draft)
  }

  async #edit(key: Key, put: Put, start: Draft | undefined, moves: boolean): Promise<Draft & { document: Document }> {
    const was = start && { path: start.path, id: start.head.key.id }
    const { source, file, ...rest } = put
    const { places } = this.#registry
    const kept = places.formerPath(key, file) ?? (was && places.movedPath(key, was.path))
    const made = () => kept ?? `${this.#folder(key)}/${fileName(key, was)}`
    const path = start && !moves ? start.path : made()
    const form = places.formOf(key.kind, path)
    const { extension } = form
    const shape = this.#registry.shape(key.kind)
    const bytes = await this.#editing.edit(shape, source ?? start?.bytes, form, rest, key)
    const document = readDocument(key, shape, bytes, form, path)
    if (document.problem?.severity === 'error') throw this.#unreadable(document)
    return { path, extension, bytes, head: document, document }
  }

  /** The document as the batch has it so far, else as the disk has it now. */
  #current(key: Key): Draft | undefined {
    const known = this.#draft(keyText(key))
    if (known) return known.draft
    if (this.#look(key) > 1) throw this.#unreadable(this.#registry.head(key))
    const [entry] = this.#registry.claims(key)
    if (!entry) return undefined
    const path = pathOf(entry)
    const reading = this.#tree.read(path, Number.MAX_SAFE_INTEGER)
    if (!reading) return undefined
    const bytes = Buffer.from(reading.bytes)
    if (!this.#settled.steps.has(path))
      this.#open.steps.set(path, { path, key, before: bytes, stamp: reading.stamp, after: bytes })
    const isKnown = reading.stamp === entry.stamp
    const read = () => readHead(key, this.#registry.shape(key.kind), bytes, this.#registry.places.formOf(key.kind, path), path)
    const head = isKnown ? entry.head : read()
    return { path, extension: entry.extension, bytes, head }
  }

  /** Brings up to date what is known of a key: an author may have saved, made or removed its file a moment ago. */
  #look(key: Key): number {
    const known = this.#registry.claims(key).map(pathOf)
    const possible = this.#foldersOf(key).flatMap((folder) => candidates(key).map((name) => `${folder}/${name}`))
    this.#registry.lookAtPlaces([...known, ...possible])
    return this.#registry.claims(key).length
  }

  #step(path: string, key: Key): Step {
    const settled = this.#settled.steps.get(path)
    const fresh = () => ({ path, key, before: undefined, stamp: this.#tree.inTheWay(path), after: undefined })
    const step: Step = this.#open.steps.get(path) ?? (settled ? { ...settled } : fresh())
    this.#open.steps.set(path, step)
    return step
  }

  #folder(key: Key): string {
    return this.#foldersOf(key)[0] ?? ''
  }

  #foldersOf({ kind }: Key): string[] {
    if (isPrivate(kind)) return [`${PRIVATE}/${kind.slice(1)}`]
    const { content } = this.#tree
    return kind === 'pages' ? [`${content}/pages`, content] : [`${content}/${kind}`]
  }

  #checkCase(key: Key, from: Key | undefined): void {
    const text = keyText(key)
    const drafted = [...this.#drafts()].filter(([, draft]) => draft).map(([other]) => other)
    const twins = [
      this.#registry.caseTwin(key),
      ...drafted.filter((other) => other !== text && other.toLowerCase() === text.toLowerCase()),
    ]
    const twin = twins.find((other) => other !== undefined && other !== (from && keyText(from)) && !this.#isGone(other))
    if (twin) throw new CaseConflict(key, twin.slice(key.kind.length + 1))
  }

  #isGone(text: string): boolean {
    const known = this.#draft(text)
    return known !== undefined && known.draft === undefined
  }

  #checkClaim(key: Key, from: Key | undefined, { field, value }: Claim): void {
    const isOther = (id: string) => id !== key.id && !(from?.kind === key.kind && from.id === id)
    // No watcher covers private files: another process may have put one there a moment ago.
    if (isPrivate(key.kind)) for (const folder of this.#foldersOf(key)) this.#registry.look(folder)
    const held = this.#index.holders(key.kind, field, value).filter((id) => isOther(id) && !this.#draft(`${key.kind}/${id}`))
    const drafted = [...this.#drafts().values()].filter(
      (draft) => draft && draft.head.key.kind === key.kind && isOther(draft.head.key.id),
    )
    const wanted = { field, op: 'eq', value, as: 'text' } as const
    const taken = held.length > 0 || drafted.some((draft) => draft && matches(fieldOf(draft.head, field, ''), wanted))
    if (taken) throw new Conflict(`The ${field} "${value}" is taken.`, { field, value })
  }

  #unreadable(head: Head | undefined): Unreadable {
    const problem = head?.problem
    return new Unreadable(problem?.message ?? 'The file can’t be read as a record.', problem, problem?.hint)
  }
}

function emptyStage(): Staged {
  return { steps: new Map(), drafts: new Map() }
}

function editOf({ path, key, before, after }: Step, settled: Step | undefined): Edit[] {
  const was = settled ? settled.after : before
  return sameBytes(was, after) ? [] : [{ path, key, existed: was !== undefined, after }]
}

function sameBytes(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one && other ? one.equals(other) : one === other
}
