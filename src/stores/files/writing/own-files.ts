import { join } from 'node:path'
import { isHidden, isRecordName } from '#core/layout.ts'
import { Conflict } from '#lib/errors.ts'
import { composed } from '#lib/normal-form.ts'
import { readableEntries } from '#lib/readable.ts'
import { goesAlong } from '#stores/engine/along.ts'

/** The most files that are looked at. */
const MOST = 1_000

/**
 * Returns the files in the folder of a record that go with it when it is moved, by their paths from there. Throws Conflict where
 * there are over a thousand.
 */
export function ownFiles(folder: string): string[] {
  const files: string[] = []
  const records = new Set<string>()
  const left = ['']
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    for (const entry of readableEntries(join(folder, at))) {
      const path = at + entry.name
      if (isHidden(entry.name)) continue
      if (entry.isDirectory()) left.push(`${path}/`)
      else if (entry.isFile() && isRecordName(entry.name)) records.add(composed(path).replace(/(?:\/index)?\.[^.]+$/, ''))
      else if (entry.isFile()) files.push(path)
      if (files.length > MOST) throw tooMany()
    }
  }
  return files.filter((path) => goesAlong(composed(path), (one) => records.has(one))).sort()
}

function tooMany(): Conflict {
  const message = `The folder of this record has more than ${MOST.toLocaleString('en')} files.`
  return new Conflict(message, undefined, 'Move the folder itself, with git or by hand.')
}
