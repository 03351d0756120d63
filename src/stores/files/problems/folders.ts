import { readFile } from 'node:fs/promises'
import type { HealthProblem } from '#core/backend.ts'
import { SYSTEM_FOLDERS } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { counted } from '#lib/text/counted.ts'

const CROWDED = 500

/** Folders with many files make each commit slower, and a person's listing long. */
export async function crowdedFolders(store: Store): Promise<HealthProblem> {
  const sizes = new Map<string, number>()
  for (const kind of await store.kinds()) {
    for (const { key } of (await store.heads(kind, {})).items) {
      const folder = [kind, ...key.id.split('~').slice(0, -1)].join('/')
      sizes.set(folder, (sizes.get(folder) ?? 0) + 1)
    }
  }
  const crowded = [...sizes].filter(([, size]) => size > CROWDED).sort((a, b) => b[1] - a[1])
  const [largest] = crowded
  if (!largest) return { name: 'folders', state: 'ok', says: `None holds over ${CROWDED} records.` }
  const says = `${crowded.length === 1 ? 'One holds' : `${crowded.length} hold`} over ${CROWDED} records (${largest[0]}: ${largest[1]}).`
  return { name: 'folders', state: 'note', says, hint: `${remedyFor(largest[0])} That keeps commits quick.` }
}

function remedyFor(folder: string): string {
  const [kind = ''] = folder.split('/')
  if (SYSTEM_FOLDERS.has(kind)) return 'Lay them out in folders of fewer.'
  return `Set types.${kind}.path, such as "{year}/{month}/{slug}": new records are then laid out in folders.`
}

/** Checks whether the system lets a server watch as many files as it has to. */
export async function watching(store: Store): Promise<HealthProblem> {
  const limit = Number(await readFile('/proc/sys/fs/inotify/max_user_watches', 'utf8').catch(() => 'NaN'))
  if (Number.isNaN(limit)) return { name: 'watching', state: 'ok', says: 'This system sets no small limit.' }
  let records = 0
  for (const kind of await store.kinds()) records += (await store.heads(kind, { limit: 0 })).total
  if (records * 2 < limit) return { name: 'watching', state: 'ok', says: `${counted(limit, 'file')} may be watched.` }
  const hint = 'Run: sudo sysctl fs.inotify.max_user_watches=524288'
  return {
    name: 'watching',
    state: 'todo',
    says: `Only ${counted(limit, 'file')} may be watched, for ${counted(records, 'record')}.`,
    hint,
  }
}
