import type { Access } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { preconditionOf } from '#http/answers/etag.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Fields } from '#lib/json.ts'
import type { Deps } from '../../records/parts.ts'
import type { Difference, Past, ResourceWrite, Row, SourceText } from '../../resource.ts'
import type { Revisions } from '../revisions.ts'

/** The revisions of a type's records in the panel. */
export class RecordPast implements Past {
  readonly listsDeleted = true
  readonly #revisions: Revisions
  readonly #deps: Pick<Deps, 'store'>
  readonly #type: string

  constructor(revisions: Revisions, deps: Pick<Deps, 'store'>, type: string) {
    this.#revisions = revisions
    this.#deps = deps
    this.#type = type
  }

  async isKept(): Promise<boolean> {
    return (await this.#deps.store.history(keyOf(this.#type, 'index'), { limit: 0 })) !== undefined
  }

  list(access: Access, id: string, params: QueryParams): ReturnType<Revisions['list']> {
    return this.#revisions.list(access, this.#type, id, params)
  }

  async one(access: Access, id: string, ts: string): Promise<Row> {
    const { document, json } = await this.#revisions.one(access, this.#type, id, ts)
    const values = JSON.parse(json.toString('utf8')) as Fields
    const title = typeof values.title === 'string' && values.title !== '' ? values.title : id
    return { id, title, values, version: document.version }
  }

  async diff(access: Access, id: string, ts: string, against?: string): Promise<readonly Difference[]> {
    return (await this.#revisions.diff(access, this.#type, id, ts, against)).fields
  }

  async rollback(access: Access, id: string, ts: string, { asked, base, isUndo }: ResourceWrite): Promise<boolean> {
    const ifMatch = preconditionOf(base)
    return (await this.#revisions.rollback(access, this.#type, id, ts, { asked, ifMatch, isUndo })).changed
  }

  async source(access: Access, id: string, ts: string): Promise<SourceText | undefined> {
    const { document } = await this.#revisions.one(access, this.#type, id, ts)
    return document.source && { path: document.file, text: document.source.toString('utf8') }
  }
}
