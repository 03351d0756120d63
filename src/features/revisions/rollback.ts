import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import { isOtherForm } from '#core/files/file-form.ts'
import { keyOfFile } from '#core/files/layout.ts'
import type { Revision } from '#core/history/revision.ts'
import { revisionText } from '#core/history/revision-name.ts'
import { type Key, keyText } from '#core/key.ts'
import { urlOf } from '#core/permalink.ts'
import { claimsOf } from '#core/queries/lookups.ts'
import type { Claim, Put } from '#core/store.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { mustMatch } from '#http/answers/etag.ts'
import { untilFirst } from '#http/guarding/until-first.ts'
import { Conflict } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { datesOf, type History } from '../records/histories.ts'
import { type Followed, writeAt } from '../records/links/address-change.ts'
import type { Deps, RecordAnswer } from '../records/parts.ts'
import { mustHold, mustMayBecome, mustMayChange, mustReach } from '../records/rights.ts'
import { keyNamed, unreadable } from '../records/unreadable.ts'
import { noteOf } from '../records/writing/commit-messages.ts'
import type { AddressOptions } from '../records/writing/editor.ts'
import { fieldsAt } from '../records/writing/mover.ts'
import { mustPass } from '../records/writing/other-checks.ts'
import { checkStatusMove, publishingStamp, WHEN } from '../records/writing/status-moves.ts'
import { firstStatus, statusOf } from '../records/writing/stored-status.ts'
import { namingTwin } from '../records/writing/twins.ts'
import { asWritten, changedFields } from './differences.ts'
import { mustFind } from './find.ts'

/** The options of a rollback. */
export interface RollbackOptions extends AddressOptions {
  /**
   * True if the status of the revision is restored, too. If undefined, the current status is kept; a removed record gets that of
   * the revision.
   */
  readonly restoreStatus?: boolean | undefined
  /** True where the last change is taken back: its status goes back, too, the way it came. Of an earlier revision it says nothing. */
  readonly isUndo?: boolean | undefined
}

/**
 * A record as it is after a rollback to the revision `to`; `changed` false where it was like that before, and no revision was
 * made.
 */
export interface RolledBack extends RecordAnswer {
  readonly to: string
  readonly changed: boolean
  /** The effects on other documents, if the address changes. */
  readonly followed?: Followed
}

/** The state to restore, and the current one that it replaces. */
interface Step {
  readonly key: Key
  readonly now: Document | undefined
  readonly then: Document
  readonly revision: Revision
  /** The commit that removed the record, where it was removed and that is known. */
  readonly removedIn?: string
  /** True where the revision is the one before the last, and nothing has changed since that. */
  readonly isBeforeLast: boolean
  /** Times at which the record was created and changed, from the history. */
  readonly dates: { readonly now: Dates; readonly was: Dates }
}

type Dates = ReturnType<typeof datesOf>

/** Puts back what records were. */
export class Rollback {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * The bytes of the revision, but for the status; for the time of publishing, where what was a draft takes the place of what is
   * public; and for the aliases of what is public, which stay. What leads to it follows where its address becomes another. Needs
   * content:read and content:write, and content:publish where the record becomes public, or ceases to be, or is public at other
   * times; Conflict where a slug or another value that must be unique is taken, or the status can't be had from the one now.
   */
  async to(access: Access, typeName: string, id: string, ts: string, options: RollbackOptions): Promise<RolledBack> {
    const { registry, histories, store, mutex } = this.#deps
    const type = registry.readable(access, typeName)
    mustHold(access, 'content:write', typeName)
    const key = await keyNamed(store, access, typeName, id)
    const once = async () => {
      const step = await this.#step(access, type, await histories.of(access, type, key), ts)
      mustMatch(options.ifMatch, step.now?.version)
      return this.#take(access, type, step, options)
    }
    return mutex.run(keyText(key), () => untilFirst(options, once))
  }

  async #step(access: Access, type: ContentType, history: History, ts: string): Promise<Step> {
    const { histories } = this.#deps
    const revision = mustFind(history, 'ts', ts)
    const then = await histories.document(history, revision)
    if (!then) throw new Conflict('The record was removed in this revision, so there is nothing to go back to.')
    const { key, document: now, all } = history
    for (const { problem } of now ? [then, now] : [then]) {
      if (problem?.severity === 'error') throw unreadable(access, problem, type.name)
    }
    const [newest] = all
    const last = now && newest && (await histories.document(history, newest))
    if (last && isOtherForm(last, then)) {
      throw new Conflict(`The record was in the file ${then.file} then; its bytes do not fit into ${last.file}.`)
    }
    const dates = { now: newest ? datesOf(all, newest) : {}, was: datesOf(all, revision) }
    const removedIn = now || newest?.version !== undefined ? undefined : newest?.commit
    const isBeforeLast = newest !== undefined && newest.version === now?.version && revision === all[1]
    return { key, now, then, revision, isBeforeLast, dates, ...(removedIn !== undefined && { removedIn }) }
  }

  async #take(access: Access, type: ContentType, step: Step, options: RollbackOptions): Promise<RolledBack> {
    const { now, then, revision } = step
    const to = revisionText(revision)
    const isUndo = options.isUndo === true && step.isBeforeLast
    const status = statusAfter(type, step, isUndo || options.restoreStatus)
    const set = this.#over(type, step, status)
    checkRights(access, type, step, set)
    if (!now) mustMayBecome(access, step.key)
    if (now?.version === then.version) return { ...this.#answer(type, now), to, changed: false }
    const after = now ? { status, ...newTimes(step, set) } : { ...then.fields, status }
    checkStatusMove(access, type, now?.fields, after, isUndo)
    const fields = { ...then.fields, ...set }
    await mustPass(this.#deps, access, { ...writeOf(step), fields, body: then.body })
    const { document, ...followed } = await this.#write(access, type, step, set, options)
    const isElsewhere = now !== undefined && urlOf(type, now) !== urlOf(type, document)
    const changed = document.version !== now?.version
    return { ...this.#answer(type, document), to, changed, ...(isElsewhere && { followed }) }
  }

  async #write(access: Access, type: ContentType, step: Step, set: Fields, { asked, redirect = true }: RollbackOptions) {
    const { key, now, then, revision, removedIn } = step
    const put = { ...(await this.#putOf(type, step, set)), ...(removedIn !== undefined && { removedIn }) }
    const unique = claims(type, step)
    const note = noteOf(now ? 'rolled_back' : 'restored', key, asked, ` to ${revision.at}`)
    if (!now) {
      const after = { ...then, key, fields: { ...then.fields, ...set } }
      const { addresses, store } = this.#deps
      const restore = () => store.write([{ key, put, expects: 'absent', unique }], access.author, note)
      const [document] = await namingTwin(this.#deps, access, () => addresses.take(access, { type, after }, restore))
      if (!document) throw new Error('The store gave no document back for a rollback.')
      return { document, rewritten: 0, left: [] }
    }
    this.#deps.bases.remember(now)
    const going = { type, before: now, after: { ...then, key, fields: { ...then.fields, ...set } } }
    const change = { key, put, expects: now.version, unique }
    return writeAt(this.#deps, access, { going, change, hasBody: true, isReturn: true, redirect }, note)
  }

  /** A text that was written for another id has its own links rewritten, as a move does. */
  async #putOf(type: ContentType, { key, then }: Step, set: Fields): Promise<Put> {
    const put = putOf(then, set)
    const was = then.file === undefined ? undefined : keyOfFile(then.file)
    if (!was || was.kind !== key.kind || was.id === key.id) return put
    const before = { ...then, key: was, fields: fieldsAt(type, then, was) }
    const relinker = await this.#deps.relinker()
    const own = await relinker.returned(type, before, { ...then, key, fields: { ...then.fields, ...set } })
    return { ...put, ...own, set: { ...own.set, ...put.set } }
  }

  /** Returns the values that differ from the revision: the status, and with it the time the record was published. */
  #over(type: ContentType, { now, then }: Step, status: string): Fields {
    if (status === statusOf(type, then.fields)) return {}
    const stamp = publishingStamp(type, then.fields, { status }, this.#deps.clock.now())
    const since = now?.fields.published_at ?? stamp.published_at
    return { status, ...(stamp.published_at !== undefined && since !== undefined && { published_at: since }) }
  }

  #answer(type: ContentType, document: Document): RecordAnswer {
    return { document, ...this.#deps.renderer.render(type, document) }
  }
}

/** A rollback is a change of what there is now, and where nothing is, a record made anew: by whom it was then. */
function checkRights(access: Access, type: ContentType, { now, then, dates }: Step, set: Fields): void {
  const after = { ...asWritten(then, dates.was), fields: { ...then.fields, ...set } }
  const { author } = after.fields
  const before = now ? asWritten(now, dates.now) : { ...after, fields: author === undefined ? {} : { author }, body: '' }
  mustReach(access, 'content:write', type, now ? now.fields : after.fields)
  const isStamp = set.published_at !== undefined && (now?.fields.published_at ?? null) === null
  const changed = changedFields(before, after).filter((name) => name !== 'published_at' || !isStamp)
  mustMayChange(access, type, changed)
  // Unclean HTML on a page is as good as publishing, whatever the status.
  if (type.html === 'trusted' && then.body !== now?.body)
    mustReach(access, 'content:publish', type, now ? now.fields : after.fields)
}

function statusAfter(type: ContentType, { now, then }: Step, restore: boolean | undefined): string {
  if (restore ?? now === undefined) return statusOf(type, then.fields)
  return now ? statusOf(type, now.fields) : firstStatus(type)
}

/** The times of being public that will be others than now. */
function newTimes({ now, then }: Step, set: Fields): Fields {
  const after: Fields = { ...then.fields, ...set }
  const others = WHEN.filter((name) => (after[name] ?? null) !== (now?.fields[name] ?? null))
  return Object.fromEntries(others.map((name) => [name, after[name] ?? null]))
}

function putOf({ source, file }: Document, set: Fields): Put {
  if (!source) throw new Error('The store gave no bytes for a revision.')
  return { source, ...(file !== undefined && { file }), set }
}

/** Values that must be unique and are not the record's own now. */
function claims(type: ContentType, { now, then }: Step): Claim[] {
  const fresh = Object.entries(then.fields).filter(([name, value]) => !isDeepStrictEqual(value, now?.fields[name]))
  const set: Fields = Object.fromEntries(fresh)
  const slug = typeof set.slug === 'string' ? [{ field: 'slug', value: set.slug }] : []
  return [...slug, ...claimsOf(type, set)]
}

/** A record that was removed comes to be anew. */
function writeOf({ now, key }: Step) {
  return { action: now ? 'update' : 'create', type: key.kind, id: now && key.id } as const
}
