import type { Access } from '#core/access/access.ts'
import type { Document, Version } from '#core/document.ts'
import { BatchConflict } from '#core/history/blame.ts'
import type { Asked } from '#core/history/revision.ts'
import { keyText, parseKey } from '#core/key.ts'
import { urlOf } from '#core/permalink.ts'
import { isThere } from '#core/queries/extent.ts'
import type { LookupAnswers } from '#core/queries/lookups.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { untilFirst } from '#http/guarding/until-first.ts'
import { TooLarge } from '#lib/errors.ts'
import { composed } from '#lib/text/normal-form.ts'
import { type Followed, writeAll } from '../links/address-change.ts'
import type { Deps } from '../parts.ts'
import { readings } from '../reading/present.ts'
import { keyNamed, unreadable } from '../unreadable.ts'
import { type CheckedChange, checkedChange } from '../writing/checked-change.ts'
import { noteOfAll } from '../writing/commit-messages.ts'
import { readChange, withPaths } from '../writing/input.ts'
import { mustPassRemoval } from '../writing/other-checks.ts'
import { checkReadsAs } from '../writing/status-moves.ts'
import { mustBeRemovable, type WriteRight, writableRecord, writableType } from '../writing/writable.ts'
import { type ActionInput, type ActionName, actionNamed, type InputFor, inputOf } from './asked-action.ts'
import { checkBeside } from './beside.ts'
import { Faults } from './faults.ts'

/** The options of an action; see `AddressOptions`. */
export interface ActionOptions {
  readonly redirect?: boolean | undefined
  readonly asked?: Asked | undefined
}

/** A record as an action left it; without a version it is deleted. */
export interface ActedOn {
  readonly id: string
  readonly version: string | null
}

/** The records of an action, in the order in which they were named, and how many it changed; with what followed new addresses. */
export interface ActionResult {
  readonly records: readonly ActedOn[]
  readonly changed: number
  readonly followed?: Followed
}

/** The result of an action that was done just now. */
export interface ActionDone extends ActionResult {
  /** Those that it changed, with the versions that they had before. */
  readonly changes: readonly (ActedOn & { readonly was: Version })[]
}

/** A record that an action is to change. */
interface Target {
  readonly id: string
  readonly document: Document
}

/** A target that the action changes, and the change that it comes to. */
interface Changing extends Target {
  readonly checked: CheckedChange
}

/** The most bytes of records that are changed at once: all of them are in memory, as they are and as they will be. */
const MOST_BYTES = 64 * 1024 * 1024

/** Does one thing to several records: all of them are written in one step, or none. */
export class Actions {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** See `Records.act`. */
  async act(access: Access, typeName: string, input: ActionInput, options: ActionOptions): Promise<ActionDone> {
    const { mutex, store } = this.#deps
    const name = actionNamed(input)
    const type = writableType(this.#deps, access, typeName, rightOf(name))
    const ids = input.ids.map(composed)
    const inputFor = await inputOf(type, input, name, store)
    const once = () =>
      name === 'delete' ? this.#remove(access, type, ids, options) : this.#change(access, type, ids, inputFor, options)
    // As one change of a record waits for another.
    return mutex.runAll(
      ids.map((id) => `${type.name}/${id}`),
      () => untilFirst({}, once),
    )
  }

  /** See `Records.acted`. */
  async acted(access: Access, typeName: string, input: ActionInput, once: string): Promise<ActionResult | undefined> {
    const { store, clock } = this.#deps
    const name = actionNamed(input)
    const type = writableType(this.#deps, access, typeName, rightOf(name))
    const written = await store.written(once)
    if (!written) return undefined
    const made = new Map(written.map((document) => [keyText(document.key), document]))
    const ids = input.ids.map(composed)
    const records: ActedOn[] = []
    for (const id of ids) {
      const key = name === 'delete' ? undefined : parseKey(type.name, id)
      // One that was as it should be is not in what was written.
      const document = key && (made.get(keyText(key)) ?? (await store.get(key)))
      const isSeen = document && isThere(access, type, document, clock.now())
      records.push({ id, version: isSeen ? document.version : null })
    }
    return { records, changed: name === 'delete' ? ids.length : ids.filter((id) => made.has(`${type.name}/${id}`)).length }
  }

  async #remove(access: Access, type: ContentType, ids: readonly string[], { asked }: ActionOptions): Promise<ActionDone> {
    const faults = new Faults(ids.length)
    const changes = await faults.each(named(ids), async ({ id }) => {
      const document = await this.#document(access, type, 'content:delete', id)
      mustBeRemovable(access, type, document)
      await mustPassRemoval(this.#deps, access, document)
      return { key: document.key, remove: true as const, expects: document.version }
    })
    faults.settle()
    const note = noteOfAll(
      changes.map(({ key }) => ({ key, action: 'deleted' as const })),
      asked,
    )
    const refused = (error: unknown) => refusedBatch(error, type, ids, faults)
    await this.#deps.store.write(changes, access.author, note).catch(refused)
    const records = ids.map((id) => ({ id, version: null }))
    const found = changes.map(({ key: { id }, expects }) => ({ id, version: null, was: expects }))
    return { records, changed: ids.length, changes: found }
  }

  async #change(
    access: Access,
    type: ContentType,
    ids: readonly string[],
    inputFor: InputFor,
    options: ActionOptions,
  ): Promise<ActionDone> {
    const faults = new Faults(ids.length)
    let bytes = 0
    const targets = await faults.each(named(ids), async ({ id }): Promise<Target> => {
      const document = await this.#document(access, type, 'content:write', id)
      bytes += document.source?.length ?? 0
      if (bytes > MOST_BYTES) throw new TooLarge('The records come to over 64 MiB together: change fewer at once.')
      return { id, document }
    })
    const answers: LookupAnswers = new Map()
    const read = await faults.each(targets, async (target) => {
      const checked = await this.#checked(access, type, target, inputFor, options, answers)
      return checked && { ...target, checked }
    })
    const changing = read.filter((one) => one !== undefined)
    const after = changing.map(({ checked }) => checked.change.going.after)
    await faults.each(changing, async ({ checked }) => checkBeside(this.#deps.types, type, checked.change, after))
    const { documents, ...followed } = await this.#write(access, type, changing, faults, options.asked)
    const versions = new Map(
      [...targets.map(({ document }) => document), ...documents].map(({ key, version }) => [key.id, version]),
    )
    const moved = changing.map(({ id, document }) => ({ id, version: versions.get(id) ?? null, was: document.version }))
    // Another word for a term that a record has is no other byte.
    const changes = moved.filter(({ version, was }) => version !== was)
    return {
      records: ids.map((id) => ({ id, version: versions.get(id) ?? null })),
      changed: changes.length,
      changes,
      ...(changing.some(isElsewhere) && { followed }),
    }
  }

  async #checked(
    access: Access,
    type: ContentType,
    { document }: Target,
    inputFor: InputFor,
    options: ActionOptions,
    answers: LookupAnswers,
  ): Promise<CheckedChange | undefined> {
    if (document.problem?.severity === 'error') throw unreadable(access, document.problem, type.name)
    const now = this.#deps.clock.now()
    const input = inputFor(document)
    const { status } = document.fields
    const background = { shown: readings(type, document, now), status: typeof status === 'string' ? status : undefined }
    const sent = withPaths(type, readChange(type, input, background), this.#deps.media())
    checkReadsAs(type, input.status, { ...document.fields, ...sent.fields }, now)
    return checkedChange(this.#deps, access, { type, document, sent }, options, answers)
  }

  async #write(access: Access, type: ContentType, changing: readonly Changing[], faults: Faults, asked?: Asked) {
    const { addresses } = this.#deps
    const found = await faults.each(changing, async ({ id, checked }) => ({
      id,
      wanted: await addresses.wanted(access, checked.change.going),
    }))
    const placed = found.flatMap(({ id, wanted }) => (wanted ? [{ id, wanted }] : []))
    const all = placed.map(({ wanted }) => wanted)
    return addresses.hold(all, async () => {
      await faults.each(placed, ({ wanted }) => addresses.mustBeFree(access, wanted, all))
      faults.settle()
      if (changing.length === 0) return { documents: [], rewritten: 0, left: [] }
      const wishes = changing.map(({ checked }) => checked.change)
      const note = noteOfAll(
        changing.map(({ document: { key }, checked: { action } }) => ({ key, action })),
        asked,
      )
      const ids = changing.map(({ id }) => id)
      return writeAll(this.#deps, access, wishes, note).catch((error: unknown) => refusedBatch(error, type, ids, faults))
    })
  }

  /** The record with this id, for a caller who may write it as such. */
  async #document(access: Access, type: ContentType, right: WriteRight, id: string): Promise<Document> {
    const key = await keyNamed(this.#deps.store, access, type.name, id)
    return writableRecord(this.#deps, access, type, right, key)
  }
}

/** Throws NoneDone with each record of a batch that was refused, where the refusal says which they are. */
function refusedBatch(error: unknown, { name }: ContentType, ids: readonly string[], faults: Faults): never {
  if (error instanceof BatchConflict) for (const [text, one] of error.about) faults.take(text.slice(name.length + 1), one)
  else if (ids.length === 1) faults.take(ids[0] ?? '', error)
  faults.settle()
  throw error
}

function named(ids: readonly string[]): { readonly id: string }[] {
  return ids.map((id) => ({ id }))
}

function rightOf(name: ActionName): WriteRight {
  return name === 'delete' ? 'content:delete' : 'content:write'
}

/** Returns whether the page of a record gets another address. */
function isElsewhere({ document, checked }: Changing): boolean {
  const { type, after } = checked.change.going
  return urlOf(type, document) !== urlOf(type, after)
}
