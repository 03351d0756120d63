import type { HealthProblem } from '#core/backend.ts'
import type { Problem } from '#core/document.ts'
import { idToPath, type Key, keyText, MEDIA } from '#core/key.ts'
import { counted } from '#lib/counted.ts'
import type { Fields } from '#lib/json.ts'
import { Slices } from '#lib/slices.ts'
import type { Quire } from './open/site.ts'

const MEND = 'Bring it back from git or a backup, or remove its description.'
const CHECKSUM = /^sha256:([0-9a-f]{64})$/

/** Most files that are named. */
const MOST_NAMED = 5

/** Says for an operator whether all media have their bytes. */
export async function mediaHealth(site: Quire): Promise<HealthProblem[]> {
  if (!site.config.features.media) return []
  const lost = await lostMedia(site)
  const { total } = await site.store.heads(MEDIA, { limit: 0 })
  if (lost.length === 0) return [{ name: 'media', state: 'ok', says: `${counted(total, 'file')} with a description, none lost.` }]
  const named = lost.slice(0, MOST_NAMED).map(pathOf).join(', ')
  const more = lost.length > MOST_NAMED ? ` and ${lost.length - MOST_NAMED} more` : ''
  const says = `The bytes of ${counted(lost.length, 'media file')} are nowhere: ${named}${more}.`
  return [{ name: 'media', state: 'todo', says, hint: MEND }]
}

/** Finds sidecars of media whose bytes are nowhere: not in a file beside them, and not where the checksum says. */
export async function mediaProblems(site: Quire): Promise<Problem[]> {
  if (!site.config.features.media) return []
  const problems: Problem[] = []
  for (const key of await lostMedia(site)) {
    const file = (await site.fileOf(key)) ?? keyText(key)
    const message = `The file that this describes, ${pathOf(key)}, is not there.`
    problems.push({ file, message, hint: MEND, severity: 'warning' })
  }
  return problems
}

async function lostMedia(site: Quire): Promise<Key[]> {
  const { items } = await site.store.heads(MEDIA, {})
  const lost: Key[] = []
  const slices = new Slices()
  for (const { key, fields } of items) {
    if (!(await hasBytes(site, key, fields))) lost.push(key)
    if (slices.isOver) await slices.pause()
  }
  return lost
}

async function hasBytes(site: Quire, key: Key, { checksum }: Readonly<Fields>): Promise<boolean> {
  if (await site.siteFiles.find('content', pathOf(key))) return true
  const [, ref] = CHECKSUM.exec(String(checksum)) ?? []
  const bytes = ref === undefined ? undefined : await site.blobs().open(ref, { start: 0, end: 0 })
  bytes?.destroy()
  return bytes !== undefined
}

function pathOf({ id }: Key): string {
  return `${MEDIA}/${idToPath(id)}`
}
