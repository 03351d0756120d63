import { isDeepStrictEqual } from 'node:util'
import type { FileForm } from '#core/files/file-form.ts'
import { formOf } from '#core/files/layout.ts'
import type { Edited } from '#core/format/edit.ts'
import type { EditThread } from '#core/format/edit-thread.ts'
import { documentOf, readHead } from '#core/format/read.ts'
import { Blame } from '#core/history/blame.ts'
import { type Key, keyText } from '#core/key.ts'
import { isAttachmentName } from '#core/media/attachments.ts'
import { fieldOf } from '#core/queries/comparison.ts'
import { matches } from '#core/queries/operators.ts'
import type { Change, Claim, Put } from '#core/store.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { CaseConflict, Conflict, NotFound, Stale } from '#lib/errors.ts'
import { type Along, type GoneFile, newFolder, othersIn } from './along.ts'
import { type BatchContext, type Draft, type Outcome, unreadable } from './drafts.ts'

type PutChange = Extract<Change, { put: Put }>
/** The files that come with a document, or come back with it as the commit `removedIn` took them. */
interface Coming {
  readonly along: readonly Along[] | undefined
  readonly removedIn: string | undefined
}

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
  /** The files that go with documents which are removed: by the texts of their keys in the open batch, by path in all others. */
  #openGone = new Map<string, readonly Along[]>()
  readonly #gone = new Map<string, GoneFile>()
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
    this.#openGone = new Map()
    try {
      await this.#make(changes)
      const outcomes = [...this.#open].flatMap(([text, after]) => this.#outcome(text, after))
      for (const { key, after, gone = [] } of outcomes) {
        this.#settled.set(keyText(key), after)
        for (const file of gone) this.#gone.set(file.from, { key, from: file.from, bytes: file.bytes })
      }
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

  /** Returns the files that go with documents which batches have removed. */
  gone(): GoneFile[] {
    return [...this.#gone.values()]
  }

  async #make(changes: readonly Change[]): Promise<void> {
    const slices = new Slices()
    const blame = new Blame(changes)
    for (const change of changes) {
      if (slices.isOver) await slices.pause()
      const made = 'remove' in change ? this.#remove(change.key, change.expects) : this.#put(change)
      await made.catch((error: unknown) => blame.take(change, error))
    }
    blame.settle()
  }

  #outcome(text: string, after: Draft | undefined): Outcome[] {
    const before = (this.#settled.has(text) ? this.#settled : this.#found).get(text)
    const key = (after ?? before)?.key
    const from = after && this.#moves.get(text)
    const isSame = before && after ? isAlike(before, after) && !from : before === after
    const gone = after ? undefined : this.#openGone.get(text)
    return key && !isSame ? [{ key, before, after, from, ...(gone && { gone }) }] : []
  }

  async #remove(key: Key, expects: string | undefined): Promise<void> {
    const there = this.current(key)
    if (expects !== undefined && there?.head.version !== expects) throw new Stale()
    if (!there) return
    const gone = (await this.#along(there, undefined)).filter(({ from }) => !this.#gone.has(from))
    if (gone.length > 0) this.#openGone.set(keyText(key), gone)
    this.#set(key, undefined)
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
    const { source, file: former, bytes: given, removedIn, ...rest } = put
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
    const along = start && moves ? await this.#along(start, file) : start?.along
    const back = start || removedIn === undefined ? start?.back : await this.#context.back(key, file, removedIn)
    const folder = start && !moves ? undefined : newFolder({ file, head, key })
    if (folder !== undefined) await this.#mustBeFree(key, folder, { along, removedIn })
    const files = { ...(along?.length && { along }), ...(back?.length && { back }) }
    return { key, file, bytes, head, document: documentOf(head, bytes, form, body), beside, ...files }
  }

  async #along(start: Draft, file: string | undefined): Promise<readonly Along[]> {
    const busy = start.along ? 'moved' : start.back ? 'restored' : undefined
    if (busy) throw new Conflict(`"${start.key.id}" was ${busy} a moment ago.`, undefined, 'Try it again.')
    const along = await this.#context.along(start, file)
    const taken = new Set(this.#drafts().flatMap((draft) => (draft.along ?? []).map(({ to }) => to)))
    const other = along.find(({ to }) => to !== undefined && taken.has(to))
    if (other) throw new Conflict(`"${other.to}" is in the way.`)
    return along
  }

  /**
   * Throws Conflict where files of others are in a document's new folder, or come there with what batches move. Those of kinds that
   * are never shown don't count: a move leaves them behind, and has to find the way back.
   */
  async #mustBeFree(key: Key, folder: string, { along, removedIn }: Coming) {
    const others = await this.#context.others(key, folder, removedIn)
    const drafts = this.#drafts()
    const leaving = [...drafts.flatMap(({ along = [] }) => along), ...this.#gone.values(), ...[...this.#openGone.values()].flat()]
    const free = new Set([...(along ?? []), ...leaving].map(({ from }) => from))
    const isComing = drafts.some(({ file, along = [], back = [] }) => {
      const paths = file.startsWith(`${folder}/`) ? [] : [...along.map(({ to }) => to), ...back.map(({ path }) => path)]
      return paths.some((path) => path?.startsWith(`${folder}/`))
    })
    if (isComing || others.some((path) => isAttachmentName(path) && !free.has(path))) throw othersIn(folder)
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
