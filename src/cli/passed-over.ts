import { counted } from '#lib/counted.ts'
import type { Quire } from './open/site.ts'

/** Number of file extensions that are listed. */
const MOST = 5

/** A sentence on the files of the content that are no records; undefined where there are none, or no files. */
export async function passedOverNote(site: Quire): Promise<string | undefined> {
  const found = await site.passedOver?.()
  if (!found) return undefined
  const { records, underscore, endings } = found
  const others = endings.reduce((sum, [, count]) => sum + count, 0)
  if (others + underscore === 0) return undefined
  const named = endings.slice(0, MOST).map(([ending, count]) => `${count} ${ending === '' ? 'without an ending' : ending}`)
  const rest = endings.slice(MOST).reduce((sum, [, count]) => sum + count, 0)
  const parts = [
    ...named,
    ...(rest > 0 ? [`${rest} of other kinds`] : []),
    ...(underscore > 0 ? [`${underscore} whose name or folder begins with _`] : []),
  ]
  const all = counted(records + underscore + others, 'file')
  return `${others + underscore} of ${all} of the content are no records and passed over: ${parts.join(', ')}.`
}
