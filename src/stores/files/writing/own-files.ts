import { join } from 'node:path'
import { isHidden, isRecordName } from '#core/files/layout.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { readableEntries } from '#lib/files/readable.ts'
import { composed } from '#lib/text/normal-form.ts'
import { MOST_ALONG, tooManyAlong } from '#stores/engine/along.ts'

/** The files in the folder of a record that none of the records in it has in a folder of its own. Paths are from the folder. */
export interface OwnFiles {
  readonly files: readonly string[]
  /** The paths of records without a folder, without their endings. */
  readonly records: ReadonlySet<string>
}

/** Finds the files of a record's own folder, at its absolute path. Throws Conflict where there are over a thousand. */
export async function ownFiles(folder: string): Promise<OwnFiles> {
  const files: string[] = []
  const records = new Set<string>()
  const slices = new Slices()
  const left = ['']
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    if (slices.isOver) await slices.pause()
    const entries = readableEntries(join(folder, at))
    if (at !== '' && entries.some(({ name }) => name === '.git' || isIndex(name))) continue
    for (const entry of entries) {
      const path = at + entry.name
      if (isHidden(entry.name)) continue
      if (entry.isDirectory()) left.push(`${path}/`)
      else if (entry.isFile() && isRecordName(entry.name)) records.add(composed(path).replace(/\.[^.]+$/, ''))
      else if (entry.isFile()) files.push(path)
    }
    if (files.length > MOST_ALONG) throw tooManyAlong('Move or remove the folder itself, with git or by hand.')
  }
  return { files: files.sort(), records }
}

function isIndex(name: string): boolean {
  return name.startsWith('index.') && isRecordName(name)
}
