import type { Access } from '#core/access/access.ts'
import type { Document, Version } from '#core/document.ts'
import type { Asked } from '#core/history/revision.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { WriteOptions } from '#http/requests/write-options.ts'
import type { Fields } from '#lib/json.ts'
import { type ActionDone, type ActionOptions, type ActionResult, Actions } from './actions/actions.ts'
import type { ActionInput } from './actions/asked-action.ts'
import type { Deps, RecordAnswer } from './parts.ts'
import { Lister, type Listing } from './reading/lister.ts'
import { type GetOptions, Reader } from './reading/reader.ts'
import { Selector } from './reading/selector.ts'
import type { TypeView } from './schemas/type.ts'
import type { TypeRegistry } from './type-registry.ts'
import { Creator } from './writing/creator.ts'
import { Drafts } from './writing/drafts.ts'
import { type AddressOptions, Editor, type Updated, type UpdateOptions } from './writing/editor.ts'
import { type Moved, Mover } from './writing/mover.ts'

/**
 * The records of a site, for one reader at a time. Throws NotFound for what the reader may not see, Forbidden for what they may
 * see but not do, InvalidInput for input that is not allowed, Unreadable for a file that can't be read, Conflict for what is
 * taken or overlaps, and Stale for a precondition that fails.
 */
export class Records {
  readonly #registry: TypeRegistry
  readonly #reader: Reader
  readonly #lister: Lister
  readonly #creator: Creator
  readonly #editor: Editor
  readonly #mover: Mover
  readonly #actions: Actions
  readonly #drafts: Drafts

  constructor(deps: Deps) {
    this.#registry = deps.registry
    const selector = new Selector(deps)
    this.#reader = new Reader(deps, selector)
    this.#lister = new Lister(deps, selector)
    this.#creator = new Creator(deps)
    this.#editor = new Editor(deps)
    this.#mover = new Mover(deps, this.#editor)
    this.#actions = new Actions(deps)
    this.#drafts = new Drafts(deps, this.#reader)
  }

  types(access: Access): Promise<TypeView[]> {
    return this.#registry.views(access)
  }

  type(access: Access, name: string): Promise<TypeView> {
    return this.#registry.view(access, name)
  }

  /** A part of the list of a type's records; `params` as a URL's query has them (`page`, `status`, `filter[price][gte]`). */
  browse(access: Access, type: string, params: QueryParams = {}): Promise<Listing> {
    return this.#registry.within(access, type, () => this.#lister.browse(access, type, params))
  }

  get(access: Access, type: string, id: string, options?: GetOptions): Promise<RecordAnswer> {
    return this.#registry.within(access, type, () => this.#reader.get(access, type, id, options))
  }

  /** The record that was made for what `once` stands for, where the store knows of it; its first answer was lost, then. */
  written(access: Access, type: string, once: string | undefined): Promise<RecordAnswer | undefined> {
    return this.#registry.within(access, type, () => this.#reader.written(access, type, once))
  }

  /** Makes a record; a title or a slug is required. `asked` is for the history. */
  create(access: Access, type: string, input: Fields, asked?: Asked): Promise<RecordAnswer> {
    return this.#registry.within(access, type, () => this.#creator.create(access, type, input, asked))
  }

  /** Changes the fields sent; null removes one, lists are replaced. With `base`, merges with what was done since that version. */
  update(access: Access, type: string, id: string, input: Fields, options: UpdateOptions = {}): Promise<Updated> {
    return this.#registry.within(access, type, () => this.#editor.update(access, type, id, input, options))
  }

  /** The record as it was in a version; undefined where that is not known any more, or was not the reader's to see. */
  inVersion(access: Access, type: string, id: string, version: Version): Promise<Document | undefined> {
    return this.#registry.within(access, type, () => this.#editor.inVersion(access, type, id, version))
  }

  /**
   * Returns a record as it would be with these fields, or a new one where `id` is undefined: nothing is written. Fields that would
   * be refused are as they are. Throws Forbidden for fields of what the caller may not change.
   */
  draft(access: Access, type: string, id: string | undefined, input: Fields): Promise<Document> {
    return this.#registry.within(access, type, () => this.#drafts.of(access, type, id, input))
  }

  remove(access: Access, type: string, id: string, options: WriteOptions = {}): Promise<void> {
    return this.#registry.within(access, type, () => this.#editor.remove(access, type, id, options))
  }

  /** Gives a record another id; a live one's old address stays an alias, and what leads to the record follows it. */
  move(access: Access, type: string, id: string, newId: string, options: AddressOptions = {}): Promise<Moved> {
    return this.#registry.within(access, type, () => this.#mover.move(access, type, id, newId, options))
  }

  /**
   * Sets fields of several records, adds terms to them or takes some out, or removes them: as one write, each as `update` or
   * `remove` would. Throws NoneDone, with what is wrong with each, where that can't be done to some.
   */
  act(access: Access, type: string, input: ActionInput, options: ActionOptions = {}): Promise<ActionDone> {
    return this.#registry.within(access, type, () => this.#actions.act(access, type, input, options))
  }

  /** The result of the action that was done for what `once` stands for, where the store knows of it. */
  acted(access: Access, type: string, input: ActionInput, once: string): Promise<ActionResult | undefined> {
    return this.#registry.within(access, type, () => this.#actions.acted(access, type, input, once))
  }
}
