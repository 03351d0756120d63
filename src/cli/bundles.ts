import type { ContentType } from '#core/content-type.ts'
import type { Head, Problem } from '#core/document.ts'
import { urlOf } from '#core/permalink.ts'
import { isLive } from '#core/status.ts'
import { counted } from '#lib/counted.ts'
import type { Quire } from './open/site.ts'

const INDEX = /(?:^|\/)index\.\w+$/

/**
 * Finds each `index.md` that is kept from the public while other records in its folder are not. Hugo takes these for parts of it,
 * and publishes none without it.
 */
export async function bundleProblems(site: Quire, type: ContentType): Promise<Problem[]> {
  const { items } = await site.store.heads(type.name, {})
  const now = site.clock.now()
  const isReadable = ({ problem }: Head) => problem?.severity !== 'error'
  const isShown = (head: Head) =>
    isLive(head.fields, type.statuses, now) && (type.permalink === null || urlOf(type, head) !== null)
  const shown = items.filter((head) => isReadable(head) && isShown(head))
  const problems: Problem[] = []
  for (const head of items) {
    if (head.isSection || !isReadable(head) || isShown(head)) continue
    const file = await site.fileOf(head.key)
    if (file === undefined || !INDEX.test(file)) continue
    const folder = head.key.id === 'index' ? '' : `${head.key.id}~`
    const parts = shown.filter(({ key }) => key.id.startsWith(folder))
    const first = parts[0] && (await site.fileOf(parts[0].key))
    if (first === undefined) continue
    const which = parts.length === 1 ? first : `${first} and ${counted(parts.length - 1, 'other')}`
    const message = `This record is kept from the public, and others in its folder are not: ${which}.`
    const hint = 'If they are parts of it, say draft: true in each of them, too.'
    problems.push({ file, message, hint, severity: 'warning' })
  }
  return problems
}
