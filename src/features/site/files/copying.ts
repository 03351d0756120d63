import type { SiteFile, SiteFiles } from '#core/site-files.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Destination } from '../build-memory.ts'
import type { PlacedFile } from './placing.ts'

/** Number of times that a file which changes while it is copied is read. */
const TRIES = 3

/** Copies a file into a built site, unless it is there as it is. False where it is gone, or can't be written. */
export async function copyFile(files: SiteFiles, { file, out }: PlacedFile, { folder, memory }: Destination): Promise<boolean> {
  let now: SiteFile | undefined = file
  for (let tries = 1; now; tries++) {
    const inputs = `file ${now.version}`
    const made = memory.madeOf(out, inputs)
    if (made && folder.leave(out, made.stamp)) {
      memory.keep(out, made)
      return true
    }
    const found = now
    try {
      const stamp = await folder.copy(out, found.size, () => files.open(found))
      if (stamp !== undefined) memory.add(out, inputs, stamp, [])
      return stamp !== undefined
    } catch (error) {
      if (!(error instanceof Unavailable) || tries === TRIES) throw error
    }
    now = await files.find(file.area, file.path)
  }
  return false
}
