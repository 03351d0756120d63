import type { HealthProblem } from '#core/backend.ts'
import type { Problem } from '#core/document.ts'
import { idToPath, type Key, keyText, MEDIA } from '#core/key.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { counted } from '#lib/text/counted.ts'
import type { Quire } from '../open/site.ts'

const MEND = 'Bring it back from git or a backup, or remove its description.'
const AWAY = 'What keeps their bytes can’t be asked now whether it has them all.'
const CHECKSUM = /^sha256:([0-9a-f]{64})$/

/** Number of files that are looked for at once: each may be a request to a bucket. */
const AT_ONCE = 16

/** Most files that are named. */
const MOST_NAMED = 5

/** Says for an operator whether all media have their bytes, and whether smaller pictures can be made. */
export async function mediaHealth(site: Quire): Promise<HealthProblem[]> {
  if (!site.config.features.media) return []
  return [...(await bytes(site)), await smallerPictures(site)]
}

/** Smaller pictures need a package that there is not for every machine. */
async function smallerPictures(site: Quire): Promise<HealthProblem> {
  if (await site.features.media.copies.canMakePictures())
    return { name: 'pictures', state: 'ok', says: 'Smaller ones can be made.' }
  const says = 'sharp is not installed, or not for this machine: in the place of smaller pictures the whole ones are sent.'
  return { name: 'pictures', state: 'note', says, hint: '`npm install sharp` brings it, where there is one.' }
}

async function bytes(site: Quire): Promise<HealthProblem[]> {
  const lost = await lostMedia(site).catch(unknownWhereAway)
  if (!lost) return [{ name: 'media', state: 'note', says: AWAY }]
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
  const lost = await lostMedia(site).catch(unknownWhereAway)
  if (!lost)
    return [
      { file: `${site.config.site.content}/${MEDIA}`, message: AWAY, hint: 'Check again when it answers.', severity: 'warning' },
    ]
  const problems: Problem[] = []
  for (const key of lost) {
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
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const some = items.slice(at, at + AT_ONCE)
    const found = await Promise.all(some.map(({ key, fields }) => hasBytes(site, key, fields)))
    lost.push(...some.filter((_, nth) => !found[nth]).map(({ key }) => key))
    if (slices.isOver) await slices.pause()
  }
  return lost
}

/** Nothing is known of what is away, which is a problem of its own. */
function unknownWhereAway(error: unknown): undefined {
  if (!(error instanceof Unavailable)) throw error
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
