import { refuseUnsafe } from '../files/path-safety.ts'
import { git } from '../process.ts'
import type { Repository } from '../repository.ts'

/** A path that differs between two commits; modes and ids as git writes them, all zeros where there is nothing. */
export interface Difference {
  readonly path: string
  readonly oldMode: string
  readonly mode: string
  readonly oldId: string
  readonly id: string
}

const LINK = '120000'

/** Finds the paths that differ between two commits. Throws Conflict where one of them is none that may be put on a disk. */
export async function differencesOf({ top }: Pick<Repository, 'top'>, base: string, tip: string): Promise<Difference[]> {
  const options = ['-r', '-z', '--raw', '--no-renames', '--no-commit-id', '--no-abbrev']
  const out = await git(top, ['diff-tree', ...options, '--end-of-options', base, tip])
  const fields = out.toString('utf8').split('\0')
  const differences: Difference[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', mode = '', oldId = '', id = ''] = (fields[at] ?? '').replace(/^:/, '').split(' ')
    differences.push({ path: fields[at + 1] ?? '', oldMode, mode, oldId, id })
  }
  const paths = differences.map(({ path }) => path)
  const links = differences.flatMap(({ path, mode }) => (mode === LINK ? path : []))
  refuseUnsafe(out, paths, new Set(links))
  return differences
}
