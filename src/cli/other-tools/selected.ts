import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Problem } from '#core/document.ts'
import { rawOf } from '#core/format/written.ts'
import { isExplicitQuartz, showingWords } from '#frontmatter/showing-words.ts'
import { BOOK_FILES, bookOf } from '#lib/files/books.ts'
import { counted } from '#lib/text/counted.ts'
import type { Quire } from '../open/site.ts'
import { textOf } from './files.ts'
import { isShown, shownFiles } from './shown-files.ts'

/**
 * Names what is public here and was not in a tool that shows only texts which say so (`dg-publish: true`, `public:: true`) or that
 * its list names (SUMMARY.md of mdBook and GitBook). Of sites in files.
 */
export async function selectionProblems(site: Quire): Promise<Problem[]> {
  if (!site.isInFiles) return []
  return [...(await unsaid(site)), ...(await unlisted(site))]
}

async function unsaid(site: Quire): Promise<Problem[]> {
  const isExplicit = isExplicitQuartz(await textOf(join(site.root, 'quartz.config.ts')))
  const [texts, words] = [new Map<string, boolean>(), new Set<string>()]
  // The texts themselves are read only where one of these tools reads them.
  const isRead = isExplicit || (await isLogseq(site))
  for (const kind of await site.store.kinds()) {
    const type = kind.includes('/') ? undefined : site.types.get(kind)
    if (!type) continue
    for (const head of (await site.store.heads(kind, {})).items) {
      if (!isShown(site, type, head)) continue
      const document = isRead ? await site.store.get(head.key, 'once') : undefined
      const data = (document && rawOf(document)?.data) ?? head.fields
      const said = showingWords(data, document?.body ?? '', isExplicit)
      for (const word of said) words.add(word)
      const file = await site.fileOf(head.key)
      if (file !== undefined) texts.set(file, said.length > 0)
    }
  }
  if (words.size === 0) return []
  const message = `Other texts say ${[...words].join(' or ')}, without which their tool shows none.`
  return problem([...texts].flatMap(([file, isSaid]) => (isSaid ? [] : [file])).sort(), message)
}

async function unlisted(site: Quire): Promise<Problem[]> {
  const shown = await shownFiles(site)
  const problems: Problem[] = []
  for (const list of shown.filter((file) => /(?:^|\/)SUMMARY\.md$/i.test(file))) {
    if (!(await isInBook(site, dirname(list)))) continue
    const leavesOut = bookOf(list, await textOf(join(site.root, list)))
    problems.push(...problem(shown.filter(leavesOut), `The book does not show what ${list} does not list.`))
  }
  return problems
}

function problem([file, ...others]: readonly string[], message: string): Problem[] {
  if (file === undefined) return []
  const which = others.length === 0 ? 'This record is' : `This record and ${counted(others.length, 'other')} are`
  const hint = 'Say draft: true in what is not to be.'
  return [{ file, message: `${message} ${which} public here.`, hint, severity: 'warning' }]
}

async function isLogseq({ root, config }: Quire): Promise<boolean> {
  const found = await Promise.all(
    [root, join(root, config.site.content)].map((folder) => textOf(join(folder, 'logseq/config.edn'))),
  )
  return found.some((text) => text !== '')
}

/** True where a folder, or one that it is in up to the root of the site, is that of a book. */
async function isInBook(site: Quire, folder: string): Promise<boolean> {
  const names = await readdir(join(site.root, folder)).catch(() => [])
  return names.some((name) => BOOK_FILES.includes(name)) || (folder !== '.' && isInBook(site, dirname(folder)))
}
