import type { Access } from '#core/access.ts'
import type { ContentType } from '#core/content-type.ts'
import type { Document } from '#core/document.ts'
import { keyText, lastSegment } from '#core/key.ts'
import { urlOf } from '#core/permalink.ts'
import type { Claim } from '#core/store.ts'
import { withNames } from '#core/term-names.ts'
import { mustMatch } from '#http/etag.ts'
import type { WriteOptions } from '#http/write-options.ts'
import { Conflict, NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { actionOfChange, noteOf } from './commit-messages.ts'
import { differing, readChange, type Sent } from './input.ts'
import { type Followed, writeAt } from './links/address-change.ts'
import { mergeSent } from './merging.ts'
import type { Deps, RecordAnswer } from './parts.ts'
import { readings } from './present.ts'
import { checkLookups, claimsOf } from './questions.ts'
import { isThere, mustHold, mustMayChange, mustReach, seesAll } from './rights.ts'
import { checkReadsAs, checkStatusMove, publishingStamp } from './status-moves.ts'
import { keyNamed, missing, unreadable } from './unreadable.ts'
import { untilFirst } from './until-first.ts'

/** The options of a change of an address: the old one leads to the new one unless `redirect` is false. */
export interface AddressOptions extends WriteOptions {
  readonly redirect?: boolean | undefined
}

/** The options of a change of a record. */
export interface UpdateOptions extends AddressOptions {
  /** The version that the change started from, to be merged with what was done since. */
  readonly base?: string | undefined
}

/**
 * A changed record; `merged` where others' changes since `base` were kept; with what followed it where its address is another.
 */
export interface Updated extends RecordAnswer {
  readonly merged: boolean
  readonly followed?: Followed
}

/** Changes and removes records. */
export class Editor {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  update(access: Access, typeName: string, id: string, input: Fields, options: UpdateOptions): Promise<Updated> {
    return this.onRecord(access, typeName, id, 'content:write', options, (type, document) =>
      this.#change(access, type, document, input, options),
    )
  }

  remove(access: Access, typeName: string, id: string, options: WriteOptions): Promise<void> {
    return this.onRecord(access, typeName, id, 'content:delete', options, async (type, { key, version, problem }) => {
      // It may be a draft of anybody's.
      if (problem?.severity === 'error' && !seesAll(access, type.name)) throw unreadable(access, problem, type.name)
      const note = noteOf('deleted', key, options.asked)
      await this.#deps.store.write([{ key, remove: true, expects: version }], access.author, note)
    })
  }

  /**
   * Finds a record that the reader may write and does `work` on it, one at a time for each record. Who changes a record is
   * answered with all of it, and so needs the right to read it. Work that comes too late (Stale) is done anew with the record as
   * it then is, unless the request says which version it is for.
   */
  async onRecord<T>(
    access: Access,
    typeName: string,
    id: string,
    right: 'content:write' | 'content:delete',
    options: WriteOptions,
    work: (type: ContentType, document: Document) => Promise<T>,
  ): Promise<T> {
    const { registry, mutex, store } = this.#deps
    const type = right === 'content:write' ? registry.readable(access, typeName) : registry.named(access, typeName)
    mustHold(access, right, typeName)
    const key = await keyNamed(store, access, typeName, id)
    const once = async () => {
      const document = await store.get(key)
      if (!document) throw await missing(store, access, typeName, id)
      if (!isThere(access, type, document, this.#deps.clock.now())) throw new NotFound()
      mustReach(access, right, type, document.fields)
      mustMatch(options.ifMatch, document?.version)
      return work(type, document)
    }
    return mutex.run(keyText(key), () => untilFirst(options, once))
  }

  async #change(access: Access, type: ContentType, document: Document, input: Fields, options: UpdateOptions): Promise<Updated> {
    if (document.problem?.severity === 'error') throw unreadable(access, document.problem, type.name)
    const { clock, renderer } = this.#deps
    const now = clock.now()
    const base = await this.#base(access, type, document, options.base)
    const older = base && base !== document ? readings(type, base, now) : []
    const shown = [...readings(type, document, now), ...older]
    const status = (base ?? document).fields.status
    const background = { shown, status: typeof status === 'string' ? status : undefined, base: options.base }
    const sent = mergeSent(readChange(type, input, background), base, document)
    // What is as it was in the version that was begun from is no wish.
    const isWish = !older.some((record) => record.status === input.status)
    if (isWish) checkReadsAs(type, input.status, { ...document.fields, ...sent.fields }, now)
    const { document: written, ...followed } = await this.#write(access, type, document, sent, options)
    const isElsewhere = urlOf(type, written) !== urlOf(type, document)
    const rendering = renderer.render(type, written)
    return { document: written, ...rendering, merged: base !== document, ...(isElsewhere && { followed }) }
  }

  /**
   * Finds the base of a change: the current state, a recent one, or else a revision of the record. Only returns what the reader
   * could see then, since answers to overlapping edits reveal its content.
   */
  async #base(access: Access, type: ContentType, document: Document, version?: string): Promise<Document | undefined> {
    if (version === undefined || version === document.version) return document
    const { bases, histories } = this.#deps
    const lately = bases.find(document.key, version)
    if (lately && isThere(access, type, lately.document, lately.at)) return lately.document
    return histories.inVersion(access, type, document.key, version)
  }

  async #write(access: Access, type: ContentType, document: Document, sent: Sent, options: UpdateOptions) {
    const set = differing(type, sent.fields, document.fields)
    const body = sent.body === undefined || sent.body === document.body ? undefined : sent.body
    mustMayChange(access, type, body === undefined ? Object.keys(set) : [...Object.keys(set), 'body'])
    Object.assign(set, publishingStamp(type, document.fields, set, this.#deps.clock.now()))
    if (Object.keys(set).length === 0 && body === undefined) return { document, rewritten: 0, left: [] }
    checkStatusMove(access, type, document.fields, set)
    // Unclean HTML on a page is as good as publishing, whatever the status.
    if (body !== undefined && type.html === 'trusted') mustReach(access, 'content:publish', type, document.fields)
    await checkLookups(this.#deps, access, type, set, document.key)
    const put = { set: withNames(set, sent.termNames ?? {}), ...(body !== undefined && { body }) }
    const unique = [...(await this.#slugClaim(type, document, set)), ...claimsOf(type, set)]
    // What comes next may start from here: it must be known when it does.
    this.#deps.bases.remember(document)
    return writeAt(this.#deps, access, {
      going: { type, before: document, after: { ...document, fields: fieldsAfter(document, set) } },
      change: { key: document.key, put, expects: document.version, unique },
      hasBody: body !== undefined,
      redirect: options.redirect ?? true,
      note: noteOf(actionOfChange(type, document.fields, set), document.key, options.asked),
    })
  }

  async #slugClaim(type: ContentType, document: Document, set: Fields): Promise<Claim[]> {
    if (typeof set.slug !== 'string') return []
    const where = [{ field: 'slug', op: 'eq' as const, value: set.slug, as: 'text' as const }]
    const { items } = await this.#deps.store.heads(type.name, { where, limit: 2 })
    if (items.some(({ key }) => key.id !== document.key.id)) throw new Conflict(`The slug "${set.slug}" is taken.`)
    return [{ field: 'slug', value: set.slug }]
  }
}

/** Returns the fields of a record once `set` is written, as far as its address depends on them. */
function fieldsAfter({ key, fields }: Document, set: Fields): Fields {
  const after = Object.fromEntries(Object.entries({ ...fields, ...set }).filter(([, value]) => value !== null))
  return { ...after, slug: after.slug ?? lastSegment(key.id) }
}
