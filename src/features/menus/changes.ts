import type { Access } from '#core/access.ts'
import type { ChangedKind, LastChange, SeenChange } from '../changed-kind.ts'
import { mayRead, type ReadingPlace, seesWhole } from '../records/reading-rights.ts'
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
    // A move of a hidden record is a change of the menus that lead to it, and names the record.
    const message = (await seesWhole(this.#place.store, access)) ? revision.message : null
    return [{ kind: 'menu', type: 'menu', id: key.id, title: labelOf(head?.fields.label), revision, message }]
  }
}
