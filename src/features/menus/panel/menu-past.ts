import type { Access } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { preconditionOf } from '#http/answers/etag.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Difference, Past, ResourceWrite, Row, SourceText } from '../../resource.ts'
import { sourceOf } from '../../source-text.ts'
import type { Menus } from '../menus.ts'
import { KIND } from '../tree.ts'
import { rowOf } from './rows.ts'

/** The revisions of menus in the panel. */
export class MenuPast implements Past {
  readonly listsDeleted = true
  readonly #menus: Menus
  readonly #store: Store

  constructor(menus: Menus, store: Store) {
    this.#menus = menus
    this.#store = store
  }

  async isKept(): Promise<boolean> {
    return (await this.#store.history(keyOf(KIND, 'main'), { limit: 0 })) !== undefined
  }

  mayRestore(access: Access): boolean {
    return access.may('menus:write') && access.may('content:drafts')
  }

  list(access: Access, id: string, params: QueryParams): ReturnType<Menus['past']['list']> {
    return this.#menus.past.list(access, id, params)
  }

  async one(access: Access, id: string, ts: string): Promise<Row> {
    return rowOf((await this.#menus.past.one(access, id, ts)).view)
  }

  async diff(access: Access, id: string, ts: string, against?: string): Promise<readonly Difference[]> {
    return (await this.#menus.past.diff(access, id, ts, against)).fields
  }

  async rollback(access: Access, id: string, ts: string, { asked, base }: ResourceWrite): Promise<boolean> {
    const ifMatch = preconditionOf(base)
    return (await this.#menus.rollback(access, id, ts, { asked, ifMatch })).changed
  }

  async source(access: Access, id: string, ts: string): Promise<SourceText | undefined> {
    return sourceOf(await this.#menus.past.source(access, id, ts))
  }
}
