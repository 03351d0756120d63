import { opendir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { PassedOver } from '#core/backend.ts'
import { isHidden, isRecordName } from '#core/layout.ts'

/**
 * Counts the files below the folder of content that are no records, but for media and the own files of tools and systems, whose
 * names begin with a dot.
 */
export async function passedOver(content: string): Promise<PassedOver> {
  const endings = new Map<string, number>()
  let [records, underscore] = [0, 0]
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
      else if (isRecordName(name)) records++
      else endings.set(extname(name).toLowerCase(), (endings.get(extname(name).toLowerCase()) ?? 0) + 1)
    }
  }
  return { records, underscore, endings: [...endings].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)) }
}
