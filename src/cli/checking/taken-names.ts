import { isTaken, listUrlOf } from '#core/permalink.ts'
import type { Quire } from '../open/site.ts'

/** Sentences, one a type, about records that are elsewhere than at the name of their type: it is an address of Quire itself. */
export async function takenNameNotes(site: Quire): Promise<string[]> {
  const notes: string[] = []
  for (const kind of await site.store.kinds()) {
    const type = site.types.get(kind)
    if (!type || type.permalink === null || !isTaken(`/${kind}`) || !type.permalink.includes('{type}')) continue
    notes.push(
      `${kind}: /${kind} is an address of Quire itself, so its records are below ${listUrlOf(type)}; a permalink of the type chooses another place.`,
    )
  }
  return notes
}
