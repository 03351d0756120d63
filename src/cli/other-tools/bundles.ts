import { dirname } from 'node:path/posix'
import type { Head, Problem } from '#core/document.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { counted } from '#lib/text/counted.ts'
import type { Quire } from '../open/site.ts'
import { isShown, shownFiles, within } from './shown-files.ts'

/** Matches the page of a folder, and of one in a language. */
const INDEX = /(?:^|\/)_?index(?:\.[a-zA-Z-]{2,10})?\.\w+$/

/**
 * Finds each `index.md` and each draft `_index.md` that is kept from the public while other records in its folder are not. Hugo
 * takes these for parts of the first and publishes none without it; Zola leaves out what is in a section that is a draft.
 */
export async function bundleProblems(site: Quire, type: ContentType): Promise<Problem[]> {
  const { items } = await site.store.heads(type.name, {})
  const problems: Problem[] = []
  let shown: readonly string[] | undefined
  for (const head of items) {
    if (head.problem?.severity === 'error' || isShown(site, type, head)) continue
    if (head.isSection && isPublic(type, head)) continue
    const file = await site.fileOf(head.key)
    if (file === undefined || !INDEX.test(file)) continue
    shown ??= await shownFiles(site, type.name)
    problems.push(...bundleProblem(file, shown))
  }
  return problems
}

/** Returns a warning for a page of a folder that is kept from the public, where some of these files lie in the folder. */
export function bundleProblem(file: string, shown: readonly string[]): Problem[] {
  const [first, ...others] = within(dirname(file), shown)
  if (first === undefined) return []
  const which = others.length === 0 ? first : `${first} and ${counted(others.length, 'other')}`
  const message = `This record is kept from the public, and others in its folder are not: ${which}.`
  const hint = 'If they are parts of it, say draft: true in each of them, too.'
  return [{ file, message, hint, severity: 'warning' }]
}

/** Sections without a page, or with one to come, have their records in any tool. */
function isPublic({ statuses }: ContentType, { fields }: Head): boolean {
  return statuses.get(String(fields.status))?.live === true
}
