import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { Revision } from '#core/history/revision.ts'
import { revisionText } from '#core/history/revision-name.ts'
import { seesAllContent, seesAllTypes } from '#core/queries/known-types.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { type MessageReader, type RevisionView, revisionView } from '#http/past/revisions.ts'
import { type ListMeta, metaOf, pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { NotFound } from '#lib/errors.ts'
import { datesOf, type History } from '../records/histories.ts'
import type { Deps, RecordAnswer } from '../records/parts.ts'
import { presentAt } from '../records/reading/present.ts'
import { keyNamed, unreadable } from '../records/unreadable.ts'
import { asWritten, changedFields, differencesOf, type FieldDifference, isReadable } from './differences.ts'
import { mustFind, previous } from './find.ts'
import { Rollback, type RollbackOptions, type RolledBack } from './rollback.ts'

/** The differences between two revisions; `against` is null for the empty state before the first. */
export interface DiffView {
  readonly ts: string
  readonly against: string | null
  readonly fields: readonly FieldDifference[]
}

/**
 * The revisions of records, and their rollback, for one reader at a time, like `Records`. Throws NotFound also if no revisions
 * are kept, or none has that name, and InvalidInput if a name is not valid. A reader who may not see drafts only gets revisions
 * that were live, of records that are live.
 */
export class Revisions {
  readonly #deps: Deps
  readonly #rollback: Rollback

  constructor(deps: Deps) {
    this.#deps = deps
    this.#rollback = new Rollback(deps)
  }

  /** A part of a record's revisions, newest first; `params` are `page` and `per_page`. */
  list(
    access: Access,
    typeName: string,
    id: string,
    params: QueryParams = {},
  ): Promise<{ data: RevisionView[]; meta: ListMeta }> {
    return this.#deps.registry.within(access, typeName, async () => {
      const history = await this.#history(access, this.#deps.registry.readable(access, typeName), id)
      const paging = pagingOf(params)
      const { page, perPage } = paging
      const first = (page - 1) * perPage
      const { store } = this.#deps
      const reader = { isWhole: await seesAllContent(store, access), seesTypes: await seesAllTypes(store, access) }
      const data: RevisionView[] = []
      for (const [n, revision] of history.visible.slice(first, first + perPage).entries()) {
        data.push(await this.#view(access, history, { revision, before: history.visible[first + n + 1], reader }))
      }
      return { data, meta: metaOf(history.visible.length, paging) }
    })
  }

  /** The record as it was in a revision. */
  one(access: Access, typeName: string, id: string, ts: string): Promise<RecordAnswer> {
    return this.#deps.registry.within(access, typeName, async () => {
      const type = this.#deps.registry.readable(access, typeName)
      const history = await this.#history(access, type, id)
      const revision = mustFind(history, 'ts', ts)
      const document = await this.#deps.histories.document(history, revision)
      if (!document) throw new NotFound('The record was removed in this revision.', 'The revision before has what it was.')
      if (document.problem?.severity === 'error') throw unreadable(access, document.problem, typeName)
      return { document, ...presentAt(type, document, Date.parse(revision.at)) }
    })
  }

  /** Resolves with the changes of a revision: its difference to the one before, or to the one that `against` names. */
  diff(access: Access, typeName: string, id: string, ts: string, against?: string): Promise<DiffView> {
    return this.#deps.registry.within(access, typeName, async () => {
      const type = this.#deps.registry.readable(access, typeName)
      const history = await this.#history(access, type, id)
      const revision = mustFind(history, 'ts', ts)
      const before = against === undefined ? previous(history, revision) : mustFind(history, 'against', against)
      const [old, now] = [await this.#state(history, before), await this.#state(history, revision)]
      for (const state of [old, now]) {
        if (state?.problem?.severity === 'error') throw unreadable(access, state.problem, typeName)
      }
      return { ts: revisionText(revision), against: before ? revisionText(before) : null, fields: differencesOf(old, now) }
    })
  }

  /** Makes the record what it was in a revision, by a revision of its own; brings a removed one back. */
  rollback(access: Access, type: string, id: string, ts: string, options: RollbackOptions = {}): Promise<RolledBack> {
    return this.#deps.registry.within(access, type, () => this.#rollback.to(access, type, id, ts, options))
  }

  async #history(access: Access, type: ContentType, id: string): Promise<History> {
    return this.#deps.histories.of(access, type, await keyNamed(this.#deps.store, access, type.name, id))
  }

  async #view(
    access: Access,
    history: History,
    { revision, before, reader }: { revision: Revision; before: Revision | undefined; reader: MessageReader },
  ): Promise<RevisionView> {
    const [old, now] = [await this.#state(history, before), await this.#state(history, revision)]
    return revisionView(access, revision, {
      ...reader,
      changed: isReadable(now) && isReadable(old) ? changedFields(old, now) : null,
      current: revision === history.all[0] && revision.version === history.document?.version,
    })
  }

  /** Resolves with a record as its bytes were in a revision, without dates that only the history has. */
  async #state(history: History, revision: Revision | undefined): Promise<Document | undefined> {
    const document = revision && (await this.#deps.histories.document(history, revision))
    return revision && document && asWritten(document, datesOf(history.all, revision))
  }
}
