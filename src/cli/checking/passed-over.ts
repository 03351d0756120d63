import { opendir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { isHidden, isRecordName } from '#core/files/layout.ts'
import { isAttachmentName } from '#core/media/attachments.ts'
import { counted } from '#lib/text/counted.ts'
import type { Quire } from '../open/site.ts'

/** Number of file extensions that are listed. */
const MOST = 5

/**
 * Number of files in the content folder: records and files of kinds that are served beside them, files with an underscore at the
 * start of their name or folder, and others by their extension (`.html`).
 */
interface PassedOver {
  readonly served: number
  readonly underscore: number
  readonly endings: readonly (readonly [ending: string, count: number])[]
}

/** A sentence on the files of the content that are neither records nor served beside them; undefined where there are none, or no files. */
export async function passedOverNote(site: Quire): Promise<string | undefined> {
  if (!site.isInFiles) return undefined
  const { served, underscore, endings } = await passedOver(join(site.root, site.config.site.content))
  const others = endings.reduce((sum, [, count]) => sum + count, 0)
  if (others + underscore === 0) return undefined
  const named = endings.slice(0, MOST).map(([ending, count]) => `${count} ${ending === '' ? 'without an ending' : ending}`)
  const rest = endings.slice(MOST).reduce((sum, [, count]) => sum + count, 0)
  const parts = [
    ...named,
    ...(rest > 0 ? [`${rest} of other kinds`] : []),
    ...(underscore > 0 ? [`${underscore} whose name or folder begins with _`] : []),
  ]
  const all = counted(served + underscore + others, 'file')
  return `${others + underscore} of ${all} of the content are no records and passed over: ${parts.join(', ')}.`
}

/**
 * Counts the files below the folder of content that nothing is made of, but for media and the own files of tools and systems, whose
 * names begin with a dot.
 */
async function passedOver(content: string): Promise<PassedOver> {
  const endings = new Map<string, number>()
  let [served, underscore] = [0, 0]
  const left = [{ folder: content, isHidden: false, depth: 0 }]
  for (let at = left.pop(); at; at = left.pop()) {
    const entries = await opendir(at.folder).catch(() => [])
    for await (const entry of entries) {
      const { name } = entry
      if (name.startsWith('.')) continue
      const hidden = at.isHidden || isHidden(name)
      if (entry.isDirectory() && !(at.depth === 0 && name === 'media')) {
        left.push({ folder: join(at.folder, name), isHidden: hidden, depth: at.depth + 1 })
      }
      if (!entry.isFile()) continue
      if (hidden) underscore++
      else if (isRecordName(name) || isAttachmentName(name)) served++
      else endings.set(extname(name).toLowerCase(), (endings.get(extname(name).toLowerCase()) ?? 0) + 1)
    }
  }
  return { served, underscore, endings: [...endings].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)) }
}
