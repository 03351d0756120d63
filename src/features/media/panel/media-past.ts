import type { Access } from '#core/access/access.ts'
import { keyOf, MEDIA } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { preconditionOf } from '#http/answers/etag.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Difference, Past, ResourceWrite, Row, SourceText } from '../../resource.ts'
import { sourceOf } from '../../source-text.ts'
import type { Media } from '../media.ts'
import type { PastMedia } from '../past.ts'
import { reachOf } from '../sight.ts'
import { rowOf } from './rows.ts'

/** The revisions of media in the panel. */
export class MediaPast implements Past {
  readonly listsDeleted = true
  readonly #media: Media
  readonly #store: Store

  constructor(media: Media, store: Store) {
    this.#media = media
    this.#store = store
  }

  mayRestore(access: Access): boolean {
    return reachOf(access) !== 'none'
  }

  async isKept(): Promise<boolean> {
    return (await this.#store.history(keyOf(MEDIA, 'none.txt'), { limit: 0 })) !== undefined
  }

  list(access: Access, id: string, params: QueryParams): ReturnType<PastMedia['list']> {
    return this.#media.past.list(access, id, params)
  }

  async one(access: Access, id: string, ts: string): Promise<Row> {
    return rowOf((await this.#media.past.one(access, id, ts)).view)
  }

  async diff(access: Access, id: string, ts: string, against?: string): Promise<readonly Difference[]> {
    return (await this.#media.past.diff(access, id, ts, against)).fields
  }

  async rollback(access: Access, id: string, ts: string, { asked, base }: ResourceWrite): Promise<boolean> {
    const ifMatch = preconditionOf(base)
    return (await this.#media.rollback(access, id, ts, { asked, ifMatch })).changed
  }

  async source(access: Access, id: string, ts: string): Promise<SourceText | undefined> {
    return sourceOf(await this.#media.past.source(access, id, ts))
  }
}
