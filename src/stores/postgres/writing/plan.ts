import { setImmediate } from 'node:timers/promises'
import { blaming } from '#core/blame.ts'
import { fieldOf } from '#core/comparison.ts'
import type { Head } from '#core/document.ts'
import type { EditThread } from '#core/format/edit-thread.ts'
import { isPrivate, type Key, keyText } from '#core/key.ts'
import { fileName, formOf, keyOfFile, movedFile } from '#core/layout.ts'
import { matches } from '#core/operators.ts'
import type { Change, Claim, Put } from '#core/store.ts'
import { CaseConflict, Conflict, NotFound, Stale, Unreadable } from '#lib/errors.ts'
import { mustFit, type Rows } from '../documents/rows.ts'

/** A document as it is, or as batches have made it so far. */
export interface Draft {
  readonly key: Key
  /** Its row; absent where it has none yet. */
  readonly doc?: number
  readonly file: string
  readonly bytes: Buffer
  readonly head: Head
  /** The times when the record was created and last changed, by its history; undefined if not known, or not yet. */
  readonly createdAt: string | undefined
  readonly updatedAt: string | undefined
}

/** The effect of one batch on one document. */
export interface Outcome {
  readonly key: Key
  readonly before: Draft | undefined
  readonly after: Draft | undefined
  /** The key that it was moved from. */
  readonly from: Key | undefined
}

/** The database's state of everything that a group of batches can touch. */
export interface BatchContext {
  /** The documents that are there, by the texts of their keys. */
  readonly documents: ReadonlyMap<string, Draft>
  /** The ids of a kind that are the same but for case, by `twinText`. */
  readonly twins: ReadonlyMap<string, readonly string[]>
  /** The ids of documents that hold what a claim asks for, by `claimText`. */
  readonly holders: ReadonlyMap<string, readonly string[]>
}

/** Returns a text that is the same for ids that differ only in case. */
export function twinText({ kind, id }: Pick<Key, 'kind' | 'id'>): string {
  return `${kind}/${id.toLowerCase()}`
}

/** One string for a claim on the documents of a kind. */
export function claimText(kind: string, { field, value }: Claim): string {
  return JSON.stringify([kind, field, value])
}

type Drafts = Map<string, Draft | undefined>

/** Number of changes that are worked out before other work may run. */
const AT_ONCE = 32

/** Works out what batches do to documents, one on top of the other. Touches nothing. */
export class Plan {
  readonly #context: BatchContext
  readonly #rows: Rows
  readonly #editing: EditThread
  /** The effects of the batches added so far, and those of the batch being added. */
  readonly #settled: Drafts = new Map()
  #open: Drafts = new Map()
  #moves = new Map<string, Key>()

  constructor(context: BatchContext, rows: Rows, editing: EditThread) {
    this.#context = context
    this.#rows = rows
    this.#editing = editing
  }

  /**
   * Adds a batch and returns its outcome, without changes of no byte. Throws if any of its changes fails; then none is made. One
   * batch at a time.
   */
  async add(changes: readonly Change[]): Promise<Outcome[]> {
    this.#open = new Map()
    this.#moves = new Map()
    for (const [at, change] of changes.entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) await setImmediate()
      if ('remove' in change) this.#remove(change.key, change.expects)
      else await this.#put(change).catch(blaming(change.key, changes))
    }
    const outcomes = [...this.#open].flatMap(([text, after]) => this.#outcome(text, after))
    for (const { key, after } of outcomes) this.#settled.set(keyText(key), after)
    this.#open = new Map()
    return outcomes
  }

  #outcome(text: string, after: Draft | undefined): Outcome[] {
    const before = this.#settled.has(text) ? this.#settled.get(text) : this.#context.documents.get(text)
    const key = (after ?? before)?.key
    const from = after && this.#moves.get(text)
    const isSame = before && after ? before.bytes.equals(after.bytes) && !from : before === after
    return key && !isSame ? [{ key, before, after, from }] : []
  }

  /** The document as the batches have it so far, else as the database has it. */
  current(key: Key): Draft | undefined {
    const text = keyText(key)
    const stage = [this.#open, this.#settled].find((drafts) => drafts.has(text))
    return stage ? stage.get(text) : this.#context.documents.get(text)
  }

  /** Gives a document that a batch has made the dates of its new revision. */
  date(key: Key, dates: Pick<Draft, 'createdAt' | 'updatedAt'>): void {
    const draft = this.#settled.get(keyText(key))
    if (draft) this.#settled.set(keyText(key), { ...draft, ...dates })
  }

  /** Returns the effect of all batches: documents that are to be kept, and rows that are to be removed. */
  total(): { kept: Draft[]; gone: number[] } {
    const changed = [...this.#settled].filter(([text, draft]) => draft !== this.#context.documents.get(text))
    const kept = changed.flatMap(([, draft]) => draft ?? [])
    const gone = changed.flatMap(([text, draft]) => (draft ? [] : (this.#context.documents.get(text)?.doc ?? [])))
    return { kept, gone }
  }

  #remove(key: Key, expects: string | undefined): void {
    const there = this.current(key)
    if (expects !== undefined && there?.head.version !== expects) throw new Stale()
    if (there) this.#open.set(keyText(key), undefined)
  }

  async #put({ key, put, from, expects, unique }: Extract<Change, { put: Put }>): Promise<void> {
    mustFit(key)
    const start = this.current(from ?? key)
    const moves = from !== undefined && keyText(from) !== keyText(key)
    if (expects === 'absent' && start) throw new Conflict(`"${(from ?? key).id}" is there already.`)
    if (expects !== undefined && expects !== 'absent' && start?.head.version !== expects) throw new Stale()
    if (from && !start) throw new NotFound()
    if (start?.head.problem?.severity === 'error') throw unreadable(start.head)
    if (moves && this.current(key)) throw new Conflict(`"${key.id}" is taken.`)
    if (moves || !start) this.#checkCase(key, from)
    for (const claim of unique ?? []) this.#checkClaim(key, from, claim)
    this.#open.set(keyText(key), await this.#edit(key, put, start, moves))
    if (!from || !moves) return
    this.#open.set(keyText(from), undefined)
    this.#moves.set(keyText(key), from)
  }

  async #edit(key: Key, put: Put, start: Draft | undefined, moves: boolean): Promise<Draft> {
    const { source, file: former, ...rest } = put
    const was = start && { path: start.file, id: start.key.id }
    const moved = was && !isPrivate(key.kind) ? movedFile(key, was.path) : undefined
    const file = start && !moves ? start.file : (formerFile(key, former) ?? moved ?? `${folderOf(key)}/${fileName(key, was)}`)
    const form = formOf(key.kind, file)
    const bytes = await this.#editing.edit(this.#rows.shapes.of(key.kind), source ?? start?.bytes, form, rest, key)
    const head = this.#rows.read(key, file, bytes)
    if (head.problem?.severity === 'error') throw unreadable(head)
    const doc = moves ? undefined : start?.doc
    const dates = { createdAt: start?.createdAt, updatedAt: start?.updatedAt }
    return { key, file, bytes, head, ...(doc !== undefined && { doc }), ...dates }
  }

  #checkCase(key: Key, from: Key | undefined): void {
    const text = keyText(key)
    const drafted = [...this.#drafts()].filter(([other, draft]) => draft && other.toLowerCase() === text.toLowerCase())
    const there = (this.#context.twins.get(twinText(key)) ?? []).map((id) => `${key.kind}/${id}`)
    const twin = [...there.filter((other) => !this.#isTouched(other)), ...drafted.map(([other]) => other)].find(
      (other) => other !== text && other !== (from && keyText(from)),
    )
    if (twin) throw new CaseConflict(key, twin.slice(key.kind.length + 1))
  }

  #checkClaim(key: Key, from: Key | undefined, claim: Claim): void {
    const { field, value } = claim
    const isOther = (id: string) => id !== key.id && !(from?.kind === key.kind && from.id === id)
    const there = this.#context.holders.get(claimText(key.kind, claim)) ?? []
    const held = there.some((id) => isOther(id) && !this.#isTouched(`${key.kind}/${id}`))
    const wanted = { field, op: 'eq', value, as: 'text' } as const
    const drafted = [...this.#drafts().values()].some(
      (draft) => draft?.head.key.kind === key.kind && isOther(draft.key.id) && matches(fieldOf(draft.head, field, ''), wanted),
    )
    if (held || drafted) throw new Conflict(`The ${field} "${value}" is taken.`, { field, value })
  }

  #isTouched(text: string): boolean {
    return this.#open.has(text) || this.#settled.has(text)
  }

  #drafts(): Drafts {
    return new Map([...this.#settled, ...this.#open])
  }
}

/** The folder of a kind, as `DocumentTable.file` begins. */
function folderOf({ kind }: Key): string {
  return isPrivate(kind) ? kind.slice(1) : kind
}

/** Returns the former file of a record, if it still belongs to this key. */
function formerFile(key: Key, file: string | undefined): string | undefined {
  const there = file === undefined || isPrivate(key.kind) ? undefined : keyOfFile(file)
  return there && keyText(there) === keyText(key) ? file : undefined
}

function unreadable({ problem }: Head): Unreadable {
  return new Unreadable(problem?.message ?? 'The file can’t be read as a record.', problem, problem?.hint)
}
