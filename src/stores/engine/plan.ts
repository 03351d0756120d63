import { isDeepStrictEqual } from 'node:util'
import { Blame } from '#core/blame.ts'
import type { StoredBlob } from '#core/blobs.ts'
import { fieldOf } from '#core/comparison.ts'
import type { Shape } from '#core/content-type.ts'
import type { Document, Head } from '#core/document.ts'
import type { FileForm } from '#core/file-form.ts'
import type { Edited } from '#core/format/edit.ts'
import type { EditThread } from '#core/format/edit-thread.ts'
import { documentOf, readHead } from '#core/format/read.ts'
import { type Key, type Kind, keyText } from '#core/key.ts'
import { formOf } from '#core/layout.ts'
import { matches } from '#core/operators.ts'
import type { Change, Claim, Put } from '#core/store.ts'
import { CaseConflict, Conflict, NotFound, Stale, Unreadable } from '#lib/errors.ts'
import type { FileBytes } from '#lib/file-bytes.ts'
import { Slices } from '#lib/slices.ts'
import type { Along } from './along.ts'
import type { newFile } from './new-file.ts'

/** A document as it is, or as batches have made it so far. */
export interface Draft {
  readonly key: Key
  /** Its file, from the content folder, or from the private one. */
  readonly file: string
  readonly bytes: Buffer
  readonly head: Head
  /** The document that the bytes are, where a batch made them. */
  readonly document?: Document
  /** The bytes that lie beside the file, or are to; the same object as long as they are the same. */
  readonly beside?: FileBytes | undefined
  /** The files of its own folder that go with it where it is moved. */
  readonly along?: readonly Along[]
}

/** The effect of batches on one document. */
export interface Outcome {
  readonly key: Key
  readonly before: Draft | undefined
  readonly after: Draft | undefined
  /** The key that a batch moved it from. */
  readonly from?: Key | undefined
}

/** The state of a store, on which batches are planned. */
export interface BatchContext {
  /** Finds a document as the store has it now. Throws Unreadable where it can't be told which of several it is. */
  document(key: Key): Draft | undefined
  /** Returns the texts of the keys that differ from this one in nothing but case. */
  twins(key: Key): readonly string[]
  /** Returns the ids of the documents that hold the value of a claim. */
  holders(kind: Kind, claim: Claim): readonly string[]
  /** Returns the file of a document that is to be made; see `newFile`. Throws Conflict where something else is in its way. */
  fileFor: typeof newFile
  /** Returns the bytes that a file which is to be made gets for these: the store may write its lines with other ends. */
  placed(kind: Kind, file: string, bytes: Buffer): Promise<Buffer>
  /** Finds what lies beside the file of a document, if this store keeps bytes there. */
  beside(kind: Kind, file: string): FileBytes | undefined
  /** Finds what goes with a document whose file comes to be `file`. Throws Conflict where something is in the way of it. */
  along(document: Draft, file: string): readonly Along[]
  /** Returns what is to lie beside a file for these bytes; undefined where they stay the blob. Throws Conflict where they can't. */
  given(kind: Kind, file: string, bytes: StoredBlob): Promise<FileBytes | undefined>
  shape(kind: Kind): Shape
  /** Returns the path that problems name for a file of a kind. */
  path(kind: Kind, file: string): string
}

type PutChange = Extract<Change, { put: Put }>
type Drafts = Map<string, Draft | undefined>

/** Works out what batches do to the documents of a store, one on top of the other. Touches nothing. */
export class Plan {
  readonly #context: BatchContext
  readonly #editing: EditThread
  /** Documents as the store had them when they were first looked up. */
  readonly #found: Drafts = new Map()
  /** Documents as the batches have made them that were added so far, and those of the batch that is being added. */
  readonly #settled: Drafts = new Map()
  #open: Drafts = new Map()
  #moves = new Map<string, Key>()
  /** The texts of the keys that batches have touched, by what they are in lower case. */
  readonly #touched = new Map<string, Set<string>>()

  constructor(context: BatchContext, editing: EditThread) {
    this.#context = context
    this.#editing = editing
  }

  /**
   * Adds a batch and returns its effects, without changes of no byte. Throws if any of its changes fails; then none is made. One
   * batch at a time.
   */
  async add(changes: readonly Change[]): Promise<Outcome[]> {
    this.#open = new Map()
    this.#moves = new Map()
    try {
      await this.#make(changes)
      const outcomes = [...this.#open].flatMap(([text, after]) => this.#outcome(text, after))
      for (const { key, after } of outcomes) this.#settled.set(keyText(key), after)
      return outcomes
    } finally {
      this.#open = new Map()
    }
  }

  /** Returns the document as the batches have it so far, else as the store has it. */
  current(key: Key): Draft | undefined {
    const text = keyText(key)
    const stage = [this.#open, this.#settled, this.#found].find((drafts) => drafts.has(text))
    if (stage) return stage.get(text)
    const found = this.#context.document(key)
    this.#found.set(text, found)
    return found
  }

  /** Returns the effects of all batches together, one for each document. */
  total(): Outcome[] {
    return [...this.#settled].flatMap(([text, after]) => {
      const before = this.#found.get(text)
      const key = (after ?? before)?.key
      return key && before !== after ? [{ key, before, after }] : []
    })
  }

  async #make(changes: readonly Change[]): Promise<void> {
    const slices = new Slices()
    const blame = new Blame(changes)
    for (const change of changes) {
      if (slices.isOver) await slices.pause()
      if ('remove' in change) this.#remove(change.key, change.expects)
      else await this.#put(change).catch((error: unknown) => blame.take(change, error))
    }
    blame.settle()
  }

  #outcome(text: string, after: Draft | undefined): Outcome[] {
    const before = (this.#settled.has(text) ? this.#settled : this.#found).get(text)
    const key = (after ?? before)?.key
    const from = after && this.#moves.get(text)
    const isSame = before && after ? isAlike(before, after) && !from : before === after
    return key && !isSame ? [{ key, before, after, from }] : []
  }

  #remove(key: Key, expects: string | undefined): void {
    const there = this.current(key)
    if (expects !== undefined && there?.head.version !== expects) throw new Stale()
    if (there) this.#set(key, undefined)
  }

  async #put(change: PutChange): Promise<void> {
    const { key, from, expects, unique } = change
    const start = this.current(from ?? key)
    const moves = from !== undefined && keyText(from) !== keyText(key)
    if (expects === 'absent' && start) throw new Conflict(`"${(from ?? key).id}" is there already.`)
    if (expects !== undefined && expects !== 'absent' && start?.head.version !== expects) throw new Stale()
    if (from && !start) throw new NotFound()
    if (start?.head.problem?.severity === 'error') throw unreadable(start.head)
    if (moves && this.current(key)) throw new Conflict(`"${key.id}" is taken.`)
    if (moves || !start) this.#checkCase(key, from)
    for (const claim of unique ?? []) this.#checkClaim(key, from, claim)
    this.#set(key, await this.#edit(change, start, moves))
    if (!from || !moves) return
    this.#set(from, undefined)
    this.#moves.set(keyText(key), from)
  }

  #set(key: Key, draft: Draft | undefined): void {
    const text = keyText(key)
    const lower = text.toLowerCase()
    this.#open.set(text, draft)
    this.#touched.set(lower, (this.#touched.get(lower) ?? new Set()).add(text))
  }

  async #edit({ key, put, expects }: PutChange, start: Draft | undefined, moves: boolean): Promise<Draft> {
    const { source, file: former, bytes: given, ...rest } = put
    const was = start && { path: start.file, id: start.key.id }
    const file = start && !moves ? start.file : this.#context.fileFor(key, former, was)
    const form = formOf(key.kind, file)
    const shape = this.#context.shape(key.kind)
    const path = this.#context.path(key.kind, file)
    // What lay beside a document that batches have removed went with it.
    const there = start || this.#isTouched(keyText(key)) ? start?.beside : this.#context.beside(key.kind, file)
    if (given && expects === 'absent' && there) throw new Conflict(`"${key.id}" is there already.`)
    const beside = given ? await this.#context.given(key.kind, file, given) : there
    const made = await this.#editing.edit(shape, source ?? start?.bytes, form, rest, key, path)
    if (made.head.problem?.severity === 'error') throw unreadable(made.head)
    const { bytes, head, body } = start && !moves ? made : await this.#placed(made, { key, file, form })
    const along = start && moves ? this.#along(start, file) : start?.along
    return { key, file, bytes, head, document: documentOf(head, bytes, form, body), beside, ...(along?.length && { along }) }
  }

  #along(start: Draft, file: string): readonly Along[] {
    if (start.along) throw new Conflict(`"${start.key.id}" was moved a moment ago.`, undefined, 'Try it again.')
    return this.#context.along(start, file)
  }

  /** A new file as it is to be written: as it was made where it would say anything else otherwise. */
  async #placed(made: Edited, { key, file, form }: { key: Key; file: string; form: FileForm }): Promise<Edited> {
    const bytes = await this.#context.placed(key.kind, file, made.bytes)
    if (bytes.equals(made.bytes)) return made
    const head = readHead(key, this.#context.shape(key.kind), bytes, form, this.#context.path(key.kind, file))
    const isSame = isDeepStrictEqual({ ...head, version: '' }, { ...made.head, version: '' })
    return isSame ? { bytes, head, body: made.body } : made
  }

  #checkCase(key: Key, from: Key | undefined): void {
    const text = keyText(key)
    const there = this.#context.twins(key).filter((other) => !this.#isTouched(other))
    const touched = [...(this.#touched.get(text.toLowerCase()) ?? [])].filter((other) => this.#draft(other))
    const twin = [...there, ...touched].find((other) => other !== text && other !== (from && keyText(from)))
    if (twin !== undefined) throw new CaseConflict(key, twin.slice(key.kind.length + 1))
  }

  #checkClaim(key: Key, from: Key | undefined, claim: Claim): void {
    const { field, value } = claim
    const isOther = (id: string) => id !== key.id && !(from?.kind === key.kind && from.id === id)
    const there = this.#context.holders(key.kind, claim).filter((id) => !this.#isTouched(`${key.kind}/${id}`))
    const wanted = { field, op: 'eq', value, as: 'text' } as const
    const drafted = this.#drafts().filter(
      ({ key: { kind }, head }) => kind === key.kind && matches(fieldOf(head, field, ''), wanted),
    )
    const isTaken = there.some(isOther) || drafted.some(({ key: { id } }) => isOther(id))
    if (isTaken) throw new Conflict(`The ${field} "${value}" is taken.`, { field, value })
  }

  #isTouched(text: string): boolean {
    return this.#open.has(text) || this.#settled.has(text)
  }

  #draft(text: string): Draft | undefined {
    return (this.#open.has(text) ? this.#open : this.#settled).get(text)
  }

  /** The documents that batches have made or changed. */
  #drafts(): Draft[] {
    return [...new Map([...this.#settled, ...this.#open]).values()].filter((draft) => draft !== undefined)
  }
}

function isAlike(before: Draft, after: Draft): boolean {
  return before.bytes.equals(after.bytes) && before.beside === after.beside
}

/** Returns the failure of a change of a document that can't be read. */
export function unreadable(head: Head | undefined): Unreadable {
  const problem = head?.problem
  return new Unreadable(problem?.message ?? 'The file can’t be read as a record.', problem, problem?.hint)
}
