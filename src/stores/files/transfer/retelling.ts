import type { Author } from '#core/document.ts'
import { versionOf } from '#core/format/version.ts'
import type { Action } from '#core/history/revision.ts'
import { actionOf, type CommitTrailers } from '#core/history/revision-message.ts'
import { keyText } from '#core/key.ts'
import type { MovedRevision, MovedWrite } from '#core/transfer.ts'
import type { FastImport } from '#git/objects/fast-import.ts'
import type { CommitOrder } from '#git/objects/import-commands.ts'
import type { Repository } from '#git/repository.ts'
import { messageText } from '../committing/message.ts'

/**
 * The state of a record after a write. `nth` counts from 1; 0 is before the first write. Without a version, the record no longer
 * exists.
 */
interface State {
  readonly nth: number
  readonly file: string
  readonly version: string | undefined
}

/** Number of earlier states that are searched for one that a write fits on. */
const MOST_TRIES = 200

/** The actions that records of one write differ in. */
const OF_A_CHANGE: ReadonlySet<Action> = new Set<Action>(['updated', 'published', 'unpublished'])

const NOWHERE: State = { nth: 0, file: '', version: undefined }

/** The dependencies for making commits. `folder` is that of content, from the top of the working tree. */
export interface RetellingDeps {
  readonly repository: Repository
  readonly fastImport: FastImport
  readonly folder: string
  /** The commit that the first one goes on top of. */
  readonly base: string | undefined
  /** The committer. */
  readonly committer: Author
}

/**
 * Writes a history anew, as commits. They follow one another in a line; but a write that, in this line, would change nothing or
 * something else than it did (there were branches once) is put beside it, on top of a state that it fits on, and merged: then git
 * shows it as it was.
 */
export class Retelling {
  readonly #deps: RetellingDeps
  readonly #states = new Map<string, State[]>()
  /** The commits of the line: by number of writes. */
  readonly #line: (string | undefined)[]
  #waiting: CommitOrder[] = []
  #made: string | undefined

  constructor(deps: RetellingDeps) {
    this.#deps = deps
    this.#line = [deps.base]
    this.#made = deps.base
  }

  /** The last commit. */
  get tip(): string | undefined {
    return this.#line.at(-1)
  }

  /** Makes commits of writes; they are on the disk when it resolves. */
  async take(writes: readonly MovedWrite[]): Promise<void> {
    for (const write of writes) {
      const place = this.#placeOf(write)
      if (place === this.#count) this.#waiting.push(this.#order(write))
      else await this.#aside(write, place)
      this.#note(write)
    }
    await this.#flush()
  }

  /** Number of commits of the line, including those that wait. */
  get #count(): number {
    return this.#line.length - 1 + this.#waiting.length
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length === 0) return
    const orders = this.#waiting
    this.#waiting = []
    this.#line.push(...(await this.#make(orders)))
  }

  async #make(orders: readonly CommitOrder[]): Promise<string[]> {
    const made = await this.#deps.fastImport.make(this.#made, orders)
    this.#made = made.at(-1)
    return made
  }

  /** The write on top of the `place`th commit of the line, and what merges it. */
  async #aside(write: MovedWrite, place: number): Promise<void> {
    await this.#flush()
    const [tip, on] = [this.tip, this.#line[place]]
    const order = this.#order(write)
    const [beside] = on === undefined ? [] : await this.#make([{ ...order, on }])
    const merge = { ...(beside !== undefined && { merges: beside }), ...(tip !== undefined && { on: tip }) }
    const what = beside === undefined ? order : { ...order, ...merge, message: 'Bring two lines of history together\n' }
    this.#line.push(...(await this.#make([what])))
  }

  /** After how many commits of the line the write did what it says: all of them, where that is so, or nowhere is better. */
  #placeOf({ revisions, ...write }: MovedWrite): number {
    const now = this.#count
    const said = { ...write, actions: actionsOf({ ...write, revisions }) }
    if (revisions.every((one) => fits(said, one, this.#stateAt(one, now)))) return now
    const states = revisions.flatMap((one) => this.#states.get(keyText(one.key)) ?? [])
    const places = [...new Set(states.map(({ nth }) => nth))].sort((a, b) => b - a)
    const before = places.flatMap((nth) => [nth, nth - 1]).slice(0, MOST_TRIES)
    const isFit = (nth: number) =>
      this.#deps.base !== undefined || nth > 0 ? revisions.every((one) => fits(said, one, this.#stateAt(one, nth))) : false
    return before.find(isFit) ?? now
  }

  #stateAt({ key }: MovedRevision, nth: number): State {
    return this.#states.get(keyText(key))?.findLast((state) => state.nth <= nth) ?? NOWHERE
  }

  /** Records the state of the line after the write that was just added. */
  #note({ revisions }: MovedWrite): void {
    for (const { key, file, bytes } of revisions) {
      const state = { nth: this.#count, file, version: bytes && versionOf(bytes) }
      const known = this.#states.get(keyText(key))
      if (known) known.push(state)
      else this.#states.set(keyText(key), [state])
    }
  }

  #order(write: MovedWrite): CommitOrder {
    return {
      author: identity(write.by),
      committer: identity(this.#deps.committer),
      seconds: Math.floor(write.at / 1000),
      message: messageOf(write),
      edits: write.revisions.flatMap((revision) => this.#edits(revision)),
    }
  }

  #edits(revision: MovedRevision): CommitOrder['edits'] {
    const { folder } = this.#deps
    const { file, version } = this.#stateAt(revision, this.#count)
    const edit = { path: `${folder}/${revision.file}`, mode: '100644', bytes: revision.bytes }
    // A record has one file: what was it before goes.
    const isElsewhere = version !== undefined && file !== revision.file
    return isElsewhere ? [{ path: `${folder}/${file}`, mode: '100644', bytes: undefined }, edit] : [edit]
  }
}

/** Returns whether git would report a revision as it was if its record were in this state before. */
function fits(said: CommitTrailers, { key, file, bytes, action, isEnd }: MovedRevision, state: State): boolean {
  if (isEnd) return true
  const isNew = state.version === undefined || state.file !== file
  if (!bytes) return state.version !== undefined
  if (!isNew && state.version === versionOf(bytes)) return false
  return actionOf(said, { isNew, isGone: false, owner: keyText(key) }) === action
}

/** Returns the actions of the records whose own is not what git would tell by that of the write; see `Note.actions`. */
function actionsOf({ revisions, ...said }: MovedWrite): ReadonlyMap<string, Action> | undefined {
  if (said.number === undefined && said.action === undefined) return undefined
  const others = revisions.filter(({ key, bytes, action, isEnd }) => {
    if (!bytes || isEnd || !OF_A_CHANGE.has(action)) return false
    return actionOf(said, { isNew: false, isGone: false, owner: keyText(key) }) !== action
  })
  return others.length === 0 ? undefined : new Map(others.map(({ key, action }) => [keyText(key), action]))
}

function messageOf(write: MovedWrite): string {
  const { message, number, action, request, from } = write
  const isPlain = number === undefined && action === undefined && request === undefined && from === undefined
  return isPlain ? `${message}\n` : messageText({ text: message, number, action, actions: actionsOf(write), request, from })
}

/** As git has it: what would end the name, the address or the line is taken out. */
function identity({ name, email }: Author): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not get into a line
  const clean = (text: string) => text.replaceAll(/[<>\u0000-\u001f\u007f]/g, '').trim()
  return `${clean(name)} <${clean(email)}>`.trimStart()
}
