import type { Problem } from '#core/document.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { counted } from '#lib/text/counted.ts'
import type { Quire } from '../open/site.ts'
import { shownFiles } from './shown-files.ts'

/** Matches names by which people keep texts apart that are not to be public. */
const APART = /^(?:drafts?|unpublished|private|wip|trash|node_modules)$/i
/** Matches folders in which Logseq keeps what its pages were before. */
const BACKUPS = /^(?:.*\/)?logseq\/(?:bak|version-files)(?=\/)/
/** Matches such a word before the ending of a file, and Blot's in its name. */
const ENDING = /\.(?:draft|wip|private)\.\w+$|\[draft\][^/]*$/i

/** Finds folders and files that are called after drafts, while what is in them is public. A type that is declared is meant. */
export async function namedProblems(site: Quire, type: ContentType): Promise<Problem[]> {
  const found = new Map<string, number>()
  const root = site.config.site.content.split('/').length
  for (const file of await shownFiles(site, type.name)) {
    const place = apartOf(file, root, type)
    if (place !== undefined) found.set(place, (found.get(place) ?? 0) + 1)
  }
  return [...found].map(([file, count]) => {
    const what = ENDING.test(file) ? 'this record is' : `${counted(count, 'record')} in it ${count === 1 ? 'is' : 'are'}`
    const message = `A name keeps nothing from the public: ${what} public.`
    const hint = /(?:^|\/)node_modules$/i.test(file)
      ? 'Move the folder out of the content: all files in it are served.'
      : 'Say draft: true to keep a record from the public.'
    return { file, message, hint, severity: 'warning' }
  })
}

/** The folder that a file lies in, or the file itself, that is called so; `root` is the depth of the folder of content. */
function apartOf(file: string, root: number, { name, declared }: ContentType): string | undefined {
  const folders = file.split('/').slice(0, -1)
  const at = folders.findIndex((folder, depth) => depth >= root && APART.test(folder) && !(declared && folder === name))
  if (at >= 0) return folders.slice(0, at + 1).join('/')
  return ENDING.test(file) ? file : BACKUPS.exec(file)?.[0]
}
