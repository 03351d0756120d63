import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readableText } from '#lib/files/readable.ts'
import type { Repository } from '../repository.ts'

/** Files that are made beside those they are to replace: there for milliseconds, or until the start after a crash. */
const UNFINISHED = '.quire-*.tmp'

/**
 * Has git pass by the files that a write makes beside others, so that no `git add -A`, `git stash -u` or `git status` of an author's sees them: the pattern
 * is added to `info/exclude`, which is of this repository alone and is never committed. Where that can't be written, git sees them as before.
 */
export function excludeUnfinished({ common }: Repository): void {
  const path = join(common, 'info', 'exclude')
  const text = readableText(path) ?? ''
  if (text.split(/\r?\n/).includes(UNFINISHED)) return
  try {
    mkdirSync(dirname(path), { recursive: true })
    appendFileSync(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${UNFINISHED}\n`)
  } catch {
    return
  }
}
