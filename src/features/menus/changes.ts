import type { Access } from '#core/access/access.ts'
import type { ChangedKind, LastChange, SeenChange } from '../changed-kind.ts'
import { mayRead, type ReadingPlace, seesWhole } from '../records/reading/reading-rights.ts'
import { KIND } from './tree.ts'
import { labelOf } from './view.ts'

/** The changes of menus: one for each, for who may read menus. */
export class ChangedMenus implements ChangedKind {
  readonly kind = KIND
  readonly #place: ReadingPlace

  constructor(place: ReadingPlace) {
    this.#place = place
  }

  async seen(access: Access, { key, revision, head }: LastChange): Promise<readonly SeenChange[]> {
    if (!(await mayRead(this.#place, access))) return []
    const isWhole = await seesWhole(this.#place.store, access)
    const menu = { kind: 'menu', type: 'menu', id: key.id, title: labelOf(head?.fields.label), revision } as const
    // A move of a record is a change of the menus that lead to it, and names the record as it was: a draft, perhaps.
    return [{ ...menu, message: isWhole ? revision.message : null, isGone: !head && !isWhole }]
  }
}
