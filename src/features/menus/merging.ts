import { randomBytes } from 'node:crypto'
import type { Access } from '#core/access/access.ts'
import { mustFit, overlap } from './conflicts.ts'
import type { SentItem } from './input.ts'
import { differences, mergeItems, type Picks, PLACE } from './merge.ts'
import { type Sender, surelySeen } from './sender.ts'
import { withIds } from './sent-items.ts'
import { everyItem, type Item, idOf } from './tree.ts'
import type { KnownMenu } from './view.ts'

/** A menu as a change began from it, undefined where that is not known any more, as it is now, and the sight of the sender. */
export interface Before {
  readonly base: KnownMenu | undefined
  readonly now: KnownMenu
  readonly sender: Sender
  /** The sides that were picked where two edits meet. */
  readonly picks?: Picks | undefined
}

/** Returns the items of a menu with those that were sent; what the sender did not see stays. Throws Conflict with the three sides. */
export function mergedItems(access: Access, sent: readonly SentItem[], before: Before): readonly Item[] {
  const { base, now, sender, picks } = before
  const taken = new Set([...everyItem(now.all)].map(({ id }) => id))
  const present = sender.ofMenu(now)
  const began = base ? sender.ofMenu(base) : present
  const yours = withIds(sent, [began, present], newId(taken))
  if (!base) {
    const fields = differences(yours, present).filter((name) => !picks?.has(name))
    if (fields.length > 0) throw overlap(access, fields, { base: null, yours, now })
    if (!picks) return now.all
  }
  const mine = new Set([...everyItem(yours)].map(({ id }) => id))
  // Of an edit that began from nobody knows what, the tree is that of the side which was picked.
  const from = !base && picks?.get(PLACE) === 'theirs' ? yours : surelySeen(began, sender, mine)
  const shown = new Set([...everyItem(present)].map(({ id }) => id))
  const seen = new Set([...everyItem(from)].map(({ id }) => id))
  const unseen = [...everyItem(began)].filter(({ id }) => !seen.has(id)).map(({ id }) => id)
  const hidden = new Set([...[...taken].filter((id) => !shown.has(id)), ...unseen])
  const { items, conflicts } = mergeItems({ base: from, yours, theirs: now.all, hidden, picks })
  if (conflicts.length > 0) throw overlap(access, conflicts, { base: base ?? null, yours, now })
  if (base !== now) mustFit(items, now.all)
  return items
}

/** Returns a function that makes ids which are not among those taken, and takes them. */
export function newId(taken: Set<string>): () => string {
  return () => {
    for (;;) {
      const id = idOf(randomBytes(8))
      if (taken.has(id)) continue
      taken.add(id)
      return id
    }
  }
}
