import type { Document, Problem } from '#core/document.ts'
import { rawOf } from '#core/format/written.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { draftWords, plainName } from '#frontmatter/other-tools.ts'
import { TEXT_FOLLOWS } from '#frontmatter/stray-head.ts'
import { strayWord } from '#frontmatter/stray-words.ts'
import type { Quire } from '../open/site.ts'
import { isShown } from './shown-files.ts'

/**
 * Finds records with front matter that does not say whether they are drafts, and a line in their text that calls them so:
 * `**Status:** draft`, `export const draft = true`. They are public.
 */
export async function wordProblems(site: Quire, type: ContentType): Promise<Problem[]> {
  const problems: Problem[] = []
  const { items } = await site.store.heads(type.name, {})
  for (const head of items) {
    const document = isShown(site, type, head) ? await site.store.get(head.key, 'once') : undefined
    const found = document && wordIn(document, site.clock.now())
    const file = found && (await site.fileOf(head.key))
    if (found && file !== undefined) problems.push({ file, ...found })
  }
  return problems
}

function wordIn(document: Document, now: number): Omit<Problem, 'file'> | undefined {
  const { source } = document
  const raw = rawOf(document)
  if (!source || !raw || raw.parts.data || raw.parts.syntax === 'none') return undefined
  const { data, parts } = raw
  const isSaid = draftWords(data).length > 0 || Object.keys(data).some((key) => plainName(key) === 'status')
  if (isSaid || source.toString('utf8', parts.headStart, parts.headEnd).includes(TEXT_FOLLOWS)) return undefined
  const found = strayWord(source, parts.bodyStart, now)
  if (!found) return undefined
  return {
    line: source.toString('latin1', 0, found.at).split(/\r\n|\n|\r/).length,
    column: 1,
    message: `"${found.line}" in the text hides nothing: the record is public.`,
    hint: `Say draft: true in the front matter, or draft: false if it is public; or put ${TEXT_FOLLOWS} there.`,
    severity: 'warning',
  }
}
