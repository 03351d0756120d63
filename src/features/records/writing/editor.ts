import type { Access } from '#core/access/access.ts'
import type { Document, Version } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { urlOf } from '#core/permalink.ts'
import { isThere } from '#core/queries/extent.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { mustMatch } from '#http/answers/etag.ts'
import { untilFirst } from '#http/guarding/until-first.ts'
import type { WriteOptions } from '#http/requests/write-options.ts'
import type { Fields } from '#lib/json.ts'
import { type Followed, writeAt } from '../links/address-change.ts'
import type { Deps, RecordAnswer } from '../parts.ts'
import { readings } from '../reading/present.ts'
import { keyNamed, unreadable } from '../unreadable.ts'
import { type ChangeWish, checkedChange } from './checked-change.ts'
import { noteOf } from './commit-messages.ts'
import { readChange, withPaths } from './input.ts'
import { mergeSent } from './merging.ts'
import { mustPassRemoval } from './other-checks.ts'
import { checkReadsAs } from './status-moves.ts'
import { mustBeRemovable, type WriteRight, writableRecord, writableType } from './writable.ts'

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

  /** See `Records.inVersion`. */
  async inVersion(access: Access, typeName: string, id: string, version: Version): Promise<Document | undefined> {
    const { store, registry, clock } = this.#deps
    const type = registry.readable(access, typeName)
    const key = await keyNamed(store, access, typeName, id)
    const document = await store.get(key)
    if (!document || !isThere(access, type, document, clock.now())) return undefined
    return this.#base(access, type, document, version)
  }

  remove(access: Access, typeName: string, id: string, options: WriteOptions): Promise<void> {
    return this.onRecord(access, typeName, id, 'content:delete', options, async (type, document) => {
      mustBeRemovable(access, type, document)
      await mustPassRemoval(this.#deps, access, document)
      const { key, version } = document
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
    right: WriteRight,
    options: WriteOptions,
    work: (type: ContentType, document: Document) => Promise<T>,
  ): Promise<T> {
    const { mutex, store } = this.#deps
    const type = writableType(this.#deps, access, typeName, right)
    const key = await keyNamed(store, access, typeName, id)
    const once = async () => {
      const document = await writableRecord(this.#deps, access, type, right, key)
      mustMatch(options.ifMatch, document.version)
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
    const sent = mergeSent(withPaths(type, readChange(type, input, background), this.#deps.media()), base, document)
    // What is as it was in the version that was begun from is no wish.
    const isWish = !older.some((record) => record.status === input.status)
    if (isWish) checkReadsAs(type, input.status, { ...document.fields, ...sent.fields }, now)
    const { document: written, ...followed } = await this.#write(access, { type, document, sent }, options)
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

  async #write(access: Access, wish: ChangeWish, options: UpdateOptions) {
    const checked = await checkedChange(this.#deps, access, wish, options)
    if (!checked) return { document: wish.document, rewritten: 0, left: [] }
    return writeAt(this.#deps, access, checked.change, noteOf(checked.action, wish.document.key, options.asked))
  }
}
