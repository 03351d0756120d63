import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { RECORD_ENDINGS } from '#core/files/layout.ts'
import { foldersAbove, isAttachmentName } from '#core/media/attachments.ts'
import { git } from '#git/process.ts'
import type { Repository } from '#git/repository.ts'
import type { RecordAt } from './merge-conflict.ts'

const INDEX = /^(.+)\/index\.[^/.]+$/
/** Number of folders that git is asked about at once. */
const AT_ONCE = 500

/**
 * Finds the files beside records that are in no commit, and whose records go when these paths change: `gone` are those of them at
 * which nothing is then. All paths are from the top of the working tree.
 */
export async function filesLeftAlone(
  { repository: { top }, recordAt }: { readonly repository: Repository; readonly recordAt: RecordAt },
  paths: readonly string[],
  gone: readonly string[],
): Promise<string[]> {
  const away = new Set(gone)
  const coming = new Set(paths.filter((path) => !away.has(path)).flatMap(folderOf))
  const folders = [...new Set(gone.filter(recordAt).flatMap(folderOf))].filter((folder) => !coming.has(folder))
  const isOwned = (folder: string) =>
    coming.has(folder) ||
    RECORD_ENDINGS.map((ending) => `${folder}/index.${ending}`).some((path) => !away.has(path) && existsSync(join(top, path)))
  const left: string[] = []
  for (let at = 0; at < folders.length; at += AT_ONCE) {
    const some = folders.slice(at, at + AT_ONCE)
    const out = await git(top, ['ls-files', '-z', '--others', '--', ...some.map((folder) => `${folder}/`)])
    for (const path of out.toString('utf8').split('\0').filter(isAttachmentName)) {
      const above = [...foldersAbove(path)]
      const owner = above.find((folder) => some.includes(folder) || isOwned(folder))
      if (owner !== undefined && some.includes(owner)) left.push(path)
    }
  }
  return left
}

function folderOf(path: string): string[] {
  const folder = INDEX.exec(path)?.[1]
  return folder === undefined ? [] : [folder]
}
