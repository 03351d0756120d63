import type { Access } from '#core/access/access.ts'
import type { ReadingPlace } from '../records/reading/reading-rights.ts'
import type { Answered } from './answered.ts'
import { isOpenTo, recordsSince, textOf } from './sight.ts'
import { everyItem, type Item, shownOf } from './tree.ts'
import type { KnownMenu } from './view.ts'

/** The sight of whoever sent a change, when they read the menu: a record may have come into sight since, or gone out of it. */
export interface Sender {
  /** Returns a menu with what they see, and what they were shown before. */
  ofMenu(menu: KnownMenu): readonly Item[]
  /** Returns whether it is sure that they were shown an item, by its own target: only then it is taken away if it is not sent. */
  isSure(item: Item): boolean
}

/** Returns the sender of a change who has the menu before them as they would see it now. */
export function presentSender({ sees }: KnownMenu, answered: Answered | undefined): Sender {
  return { ofMenu: (menu) => withAnswered(menu, answered), isSure: ({ target }) => sees(target) }
}

/**
 * Resolves with the sender of a change that began from `base`. Where it is not known what they were answered, as after a restart,
 * it is sure that they saw the records that are as they were when that version was made.
 */
export async function senderFrom(
  place: ReadingPlace,
  access: Access,
  base: KnownMenu,
  answered: Answered | undefined,
): Promise<Sender> {
  const ofMenu = (menu: KnownMenu) => withAnswered(menu, answered)
  if (answered) return { ofMenu, isSure: ({ id, target }) => isOpenTo(access, target) || answered.always.has(id) }
  const there = await thereSince(place, access, base)
  return { ofMenu, isSure: ({ target }) => isOpenTo(access, target) || there.has(textOf(target)) }
}

/** Resolves with the records that a menu leads to and that are as they were when it was made; none where no history is kept. */
async function thereSince(place: ReadingPlace, access: Access, { document, shown }: KnownMenu): Promise<ReadonlySet<string>> {
  const all = (await place.store.history(document.key, {}))?.items ?? []
  // The sender may have read it when it was like that for the first time.
  const first = all.findLast(({ version }) => version === document.version)
  if (!first) return new Set()
  const targets = [...everyItem(shown)].map(({ target }) => target).filter((target) => !isOpenTo(access, target))
  return recordsSince(place, access, targets, Date.parse(first.at))
}

/** Returns the items of a tree that its sender surely saw, or sends; an item goes with all below it. */
export function surelySeen(items: readonly Item[], sender: Sender, sent: ReadonlySet<string>): Item[] {
  return items.flatMap((item) => {
    const isSent = [item, ...everyItem(item.children)].some(({ id }) => sent.has(id))
    if (!isSent && !sender.isSure(item)) return []
    return [{ ...item, children: surelySeen(item.children, sender, sent) }]
  })
}

function withAnswered({ all, sees }: KnownMenu, answered: Answered | undefined): Item[] {
  return shownOf(all, ({ id, target }) => sees(target) || answered?.ever.has(id) === true)
}
