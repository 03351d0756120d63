import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecordName } from '#core/files/layout.ts'
import { isExplicitQuartz, showingWords } from '#frontmatter/showing-words.ts'
import { BOOK_FILES, bookOf } from '#lib/files/books.ts'
import type { Fields } from '#lib/json.ts'
import { bytesOfFile, filesBelow, isBelow, isFile } from './folder.ts'
import { readPage } from './pages.ts'

/** Texts of a folder that its tool showed, where it shows only those that say so or are listed. */
export interface Selection {
  /** Returns the reason why a text was not shown; undefined where it was. */
  reasonFor(path: string, data: Readonly<Fields>, body: string): string | undefined
  /** Returns whether a file is a text that was not shown. */
  leavesOut(path: string): Promise<boolean>
}

/** Matches what a text may say to be shown, so that few are read twice. */
const MAY_SAY = /dg-publish|public::|publish/i

/** Reads which texts below a folder are shown: where one says a word by which its tool shows texts, those without it are not. */
export async function selectionIn(root: string): Promise<Selection> {
  const isExplicit = await isBelow(root, hasExplicitQuartz)
  const words = new Set<string>()
  const books: ((path: string) => boolean)[] = []
  for await (const path of filesBelow(root)) {
    if (!isRecordName(path)) continue
    const bytes = await bytesOfFile(join(root, path), path)
    if (!Buffer.isBuffer(bytes)) continue
    if (/(?:^|\/)SUMMARY\.md$/i.test(path) && (await isBookAt(root, path))) books.push(bookOf(path, bytes.toString()))
    if (!MAY_SAY.test(bytes.toString('latin1', 0, 64 * 1024))) continue
    const page = await readPage(join(root, path), path)
    if (!('problem' in page)) for (const word of showingWords(page.data, page.body, isExplicit)) words.add(word)
  }
  const reasonFor = (path: string, data: Readonly<Fields>, body: string) => {
    if (books.some((leavesOut) => leavesOut(path))) return 'SUMMARY.md does not list them'
    if (words.size === 0 || showingWords(data, body, isExplicit).length > 0) return undefined
    return `they don't say ${[...words].join(' or ')}, as those do that were shown`
  }
  return {
    reasonFor,
    async leavesOut(path) {
      if ((words.size === 0 && books.length === 0) || !isRecordName(path)) return false
      const page = await readPage(join(root, path), path)
      return !('problem' in page) && reasonFor(path, page.data, page.body) !== undefined
    },
  }
}

/** True for the list of a book of mdBook's or GitBook's. */
function isBookAt(root: string, path: string): Promise<boolean> {
  return isBelow(join(root, path, '..'), async (folder) => {
    const files = BOOK_FILES.map((name) => isFile(join(folder, name)))
    return (await Promise.all(files)).includes(true)
  })
}

async function hasExplicitQuartz(folder: string): Promise<boolean> {
  const config = await readFile(join(folder, 'quartz.config.ts'), 'utf8').catch(() => '')
  return isExplicitQuartz(config)
}
