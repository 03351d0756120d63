import type { Access } from '#core/access.ts'
import type { Document } from '#core/document.ts'
import { parseKey } from '#core/key.ts'
import { type ListMeta, metaOf, pagingOf } from '#http/paging.ts'
import type { QueryParams } from '#http/query.ts'
import { NotFound } from '#lib/errors.ts'
import { unreadable } from '../records/unreadable.ts'
import type { MenuView } from './schema.ts'
import { mustMayRead, type Place, sightOf } from './sight.ts'
import { everyItem, type FileItem, itemsOf, shownOf } from './tree.ts'
import { answerOf, type MenuAnswer, viewOf } from './view.ts'

const KIND = 'menus'

/**
 * The menus of a site, for one reader at a time: an item that leads to a record that the reader may not see is left out, with
 * what is below it.
 */
export class Menus {
  readonly #place: Place

  constructor(place: Place) {
    this.#place = place
  }

  /** A part of the menus, by name; `params` are `page` and `per_page`. */
  async list(access: Access, params: QueryParams = {}): Promise<{ data: MenuView[]; meta: ListMeta }> {
    const paging = pagingOf(params)
    await mustMayRead(this.#place, access)
    const { page, perPage } = paging
    const sort = [{ field: 'id', descending: false, as: 'text' as const }]
    const { items, total } = await this.#place.store.browse(KIND, { sort, offset: (page - 1) * perPage, limit: perPage })
    const data: MenuView[] = []
    for (const document of items) data.push((await this.#answer(access, document)).view)
    return { data, meta: metaOf(total, paging) }
  }

  /** Throws NotFound where there is no menu of that name, Unreadable where its file can't be read. */
  async get(access: Access, name: string): Promise<MenuAnswer> {
    await mustMayRead(this.#place, access)
    const key = parseKey(KIND, name)
    const document = key && (await this.#place.store.get(key))
    if (!document) throw new NotFound('The menu was not found.')
    if (document.problem?.severity === 'error') throw unreadable(access, document.problem, KIND)
    return this.#answer(access, document)
  }

  async #answer(access: Access, document: Document): Promise<MenuAnswer> {
    const items = itemsOf(document.fields.items)
    const sees = await sightOf(this.#place, access, targetsOf(items))
    const shown = shownOf(items, ({ target }) => sees(target))
    return answerOf(viewOf(document, shown))
  }
}

function* targetsOf(items: readonly FileItem[]) {
  for (const { target } of everyItem(items)) yield target
}
