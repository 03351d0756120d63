import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { keyOfFile } from '#core/files/layout.ts'
import { keyText } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { blobId } from '#git/objects/blob-id.ts'
import { shippedTemplates } from '#lib/package.ts'

/** The starters that have pages to show what there is. */
const WITH_PAGES = ['blog', 'docs'] as const
/** Most pages that are named. */
const SHOWN = 5

/** Tells what of a starter a site still has as it was made; undefined where it has nothing of one. */
export async function demoNote(store: Pick<Store, 'head'>): Promise<string | undefined> {
  const left: string[] = []
  for (const starter of WITH_PAGES) left.push(...(await leftOf(starter, store)))
  if (left.length === 0) return undefined
  const named = left.slice(0, SHOWN).join(', ')
  const more = left.length > SHOWN ? ` and ${left.length - SHOWN} more` : ''
  return `What this site began with is still here: ${named}${more}. Remove it, or import into a site of cms init --template blank.`
}

async function leftOf(starter: (typeof WITH_PAGES)[number], store: Pick<Store, 'head'>): Promise<string[]> {
  const folder = shippedTemplates(`starters/${starter}/content`)
  const left: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const key = entry.isFile() ? keyOfFile(relative(folder, path).replaceAll('\\', '/')) : undefined
    const head = key && (await store.head(key))
    if (key && head?.version === blobId({ format: 'sha1' }, await readFile(path))) left.push(keyText(key))
  }
  return left.sort()
}
