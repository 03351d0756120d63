import { isUtf8 } from 'node:buffer'
import type { Objects } from '#git/objects/objects.ts'
import { git } from '#git/process.ts'
import type { Blob } from '#git/remote/merge-tree.ts'

/** More of a text than that is not shown in a conflict. */
const SHOWN = 64 * 1024

/** Returns the files that git sees as moved from one commit to another: their former paths by their new ones. */
export async function movedFiles(top: string, from: string, to: string): Promise<Map<string, string>> {
  const out = await git(top, ['diff-tree', '-r', '-z', '-M', '--diff-filter=R', '--end-of-options', from, to])
  const words = out.toString('utf8').split('\0')
  const moved = new Map<string, string>()
  for (let at = 0; at + 2 < words.length; at += 3) moved.set(words[at + 2] ?? '', words[at + 1] ?? '')
  return moved
}

/** Finds the file at a path of a commit or a tree. */
export async function blobAt(objects: Objects, commit: string, path: string): Promise<Blob | undefined> {
  const found = await objects.info(`${commit}:${path}`)
  return found?.type === 'blob' ? { mode: '100644', id: found.id } : undefined
}

/** Returns the files of a tree that are another's, or in none, in an earlier one. */
export async function changedFiles(top: string, from: string, to: string): Promise<Map<string, { from?: Blob; to: Blob }>> {
  const out = await git(top, ['diff-tree', '-r', '-z', '--no-renames', '--diff-filter=AM', '--end-of-options', from, to])
  const words = out.toString('utf8').split('\0')
  const changed = new Map<string, { from?: Blob; to: Blob }>()
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [modeBefore = '', modeAfter = '', before = '', after = ''] = (words[at] ?? '').slice(1).split(' ')
    const old = modeBefore === '000000' ? {} : { from: { mode: modeBefore, id: before } }
    changed.set(words[at + 1] ?? '', { ...old, to: { mode: modeAfter, id: after } })
  }
  return changed
}

/** Returns the paths of files that are in a tree, and not in a later one. */
export async function goneFiles(top: string, from: string, to: string): Promise<string[]> {
  const out = await git(top, [
    'diff-tree',
    '-r',
    '-z',
    '--no-renames',
    '--name-only',
    '--diff-filter=D',
    '--end-of-options',
    from,
    to,
  ])
  return out.toString('utf8').split('\0').slice(0, -1)
}

/** Returns the text of a file as a conflict shows it: one that is long, or none, by its length alone. */
export async function textOf(objects: Objects, side: Blob | undefined): Promise<string | null> {
  const found = side && (await objects.read(side.id))
  if (!found) return null
  const isText = found.bytes.length <= SHOWN && isUtf8(found.bytes) && !found.bytes.includes(0)
  return isText ? found.bytes.toString('utf8') : `(${found.bytes.length} bytes)`
}
