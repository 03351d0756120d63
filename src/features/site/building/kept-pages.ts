import { setImmediate } from 'node:timers/promises'
import type { Problem } from '#core/document.ts'
import { mediaIn } from '../files/media-source.ts'
import type { OutFolder } from './out-folder.ts'
import type { ShownNames } from './shown-names.ts'

/** Number of files that a message names. */
const SHOWN = 3

/**
 * Decides on the files of pages that could not be made: one that has a record or a term which the site does not show any more, or
 * of which that is not known, is removed, the others stay. Resolves with problems that name them.
 */
export async function settleKept(folder: OutFolder, names: ShownNames): Promise<Problem[]> {
  const { kept } = folder
  if (kept.size === 0) return []
  const isCurrent = await names.current()
  const gone = [...kept].filter(([, shows]) => !shows || !isCurrent(shows)).map(([file]) => file)
  for (const file of gone) folder.drop(file)
  const problem = (message: string, files: readonly string[]): Problem[] =>
    files.length === 0
      ? []
      : [
          {
            file: folder.path,
            message: `${message}: ${listed(files)}.`,
            hint: 'Mend what is named beside, and build again.',
            severity: 'warning',
          },
        ]
  return [
    ...problem('Removed, since they could not be made anew and had what the site does not show any more', gone),
    ...problem('These could not be made and stay as an earlier build made them', [...folder.kept.keys()]),
  ]
}

/** The paths of the media that pages lead to which stay as an earlier build made them. */
export async function* mediaOfKept(folder: OutFolder): AsyncGenerator<string> {
  for (const file of folder.kept.keys()) {
    if (!/\.html?$/i.test(file)) continue
    yield* mediaIn(folder.textOf(file))
    await setImmediate()
  }
}

function listed(files: readonly string[]): string {
  const first = files.toSorted().slice(0, SHOWN).join(', ')
  return files.length > SHOWN ? `${first} and ${files.length - SHOWN} more` : first
}
