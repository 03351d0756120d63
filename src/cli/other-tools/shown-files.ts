import type { Head } from '#core/document.ts'
import { urlOf } from '#core/permalink.ts'
import { isLive } from '#core/status.ts'
import type { ContentType } from '#core/types/content-type.ts'
import type { Quire } from '../open/site.ts'

/** Returns whether the public is shown a record that can be read. */
export function isShown(site: Quire, type: ContentType, head: Head): boolean {
  if (head.problem?.severity === 'error') return false
  return isLive(head.fields, type.statuses, site.clock.now()) && (type.permalink === null || urlOf(type, head) !== null)
}

/** Lists the files of the records that the public is shown, of one type or of all: sorted, from the root of the site. */
export async function shownFiles(site: Quire, only?: string): Promise<string[]> {
  const files: string[] = []
  for (const kind of only === undefined ? await site.store.kinds() : [only]) {
    const type = site.types.get(kind)
    if (!type || kind.includes('/')) continue
    const { items } = await site.store.heads(kind, {})
    for (const head of items) {
      const file = isShown(site, type, head) ? await site.fileOf(head.key) : undefined
      if (file !== undefined) files.push(file)
    }
  }
  return files.sort()
}

/** The files of a sorted list that lie in a folder or below it. */
export function within(folder: string, sorted: readonly string[]): readonly string[] {
  // The sign that follows `/` is 0: what begins with the folder's path lies between.
  return sorted.slice(placeOf(`${folder}/`, sorted), placeOf(`${folder}0`, sorted))
}

function placeOf(text: string, sorted: readonly string[]): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? '') < text) from = middle + 1
    else to = middle
  }
  return from
}
