import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { orAbsent } from '#lib/files/stamp.ts'
import type { IndexPlace } from './index/names.ts'

/** A working tree, as it is found without a process. Paths are absolute. */
export interface WorkTree extends IndexPlace {
  readonly top: string
}

/** Finds the working trees that a folder is the top of, or lies in: a repository may lie in another. */
export function workTreesAround(folder: string): WorkTree[] {
  const trees: WorkTree[] = []
  for (let at = resolve(folder); ; at = dirname(at)) {
    const dir = gitDirOf(at)
    if (dir !== undefined) trees.push({ top: at, dir, idLength: idLengthIn(dir) })
    if (dirname(at) === at) return trees
  }
}

/** In a linked working tree, and in a module, `.git` is a file that says where the folder is. */
function gitDirOf(top: string): string | undefined {
  const path = join(top, '.git')
  const stats = orAbsent(() => statSync(path, { throwIfNoEntry: false }))
  if (!stats?.isFile()) return stats?.isDirectory() ? path : undefined
  const [, dir] = /^gitdir: (.+?)\s*$/.exec(textOf(path)) ?? []
  return dir === undefined ? undefined : resolve(top, dir)
}

function idLengthIn(dir: string): number {
  const common = resolve(dir, textOf(join(dir, 'commondir')).trim())
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(textOf(join(common, 'config'))) ? 32 : 20
}

function textOf(path: string): string {
  return orAbsent(() => readFileSync(path, 'utf8')) ?? ''
}
