import { Unavailable } from '#lib/errors.ts'
import { git, gitText } from '../process.ts'

/** The oldest git that merges two commits without a working tree. */
const OLDEST: readonly [number, number] = [2, 38]

/** A file as a tree has it: its mode in octal (`100644`) and its object. */
export interface Blob {
  readonly mode: string
  readonly id: string
}

/** A path that git could not merge: what the base, our side and theirs have of it, and git's words for why (`CONFLICT (contents)`). */
export interface Unmerged {
  readonly path: string
  readonly base?: Blob
  readonly ours?: Blob
  readonly theirs?: Blob
  readonly kinds: readonly string[]
}

/** The tree that merging makes, with what could not be merged left in it as git has it. Paths are from the top. */
export interface MergedTree {
  readonly tree: string
  readonly unmerged: Unmerged[]
}

/**
 * Merges two commits without touching anything but the store of objects. A file that is added to a folder which the other side renamed stays
 * where it was put: the author's settings for guesses of that sort do not count. Throws Unavailable where git is too old.
 */
export async function mergeTrees(folder: string, ours: string, theirs: string): Promise<MergedTree> {
  await checkVersion(folder)
  const settings = ['merge.renames=true', 'merge.directoryRenames=false', 'merge.renormalize=false', 'merge.conflictStyle=merge']
  const args = [...settings.flatMap((setting) => ['-c', setting]), 'merge-tree', '--write-tree', '-z', '--messages', ours, theirs]
  const out = await git(folder, args, { accept: [1] })
  return parseMerge(out.toString('utf8'))
}

async function checkVersion(folder: string): Promise<void> {
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(await gitText(folder, ['version'])) ?? []).map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  const message = `Both sides have commits of their own, and git ${major}.${minor} can't merge them on its own.`
  throw new Unavailable(message, 600, 'Install git 2.38 or newer, or merge by hand: `git pull --no-rebase`.')
}

/** Tree, NUL, entries each with NUL, NUL, messages (number of paths, paths, kind, text, each with NUL): see git-merge-tree. */
function parseMerge(text: string): MergedTree {
  const words = text.split('\0')
  const tree = words[0] ?? ''
  const end = words.indexOf('', 1)
  const stages = new Map<string, { [stage: string]: Blob }>()
  for (const entry of words.slice(1, end < 0 ? undefined : end)) {
    const [, mode = '', id = '', stage = '', path = ''] = /^(\d+) ([0-9a-f]+) ([123])\t([\s\S]+)$/.exec(entry) ?? []
    if (path !== '') stages.set(path, { ...stages.get(path), [stage]: { mode, id } })
  }
  const kinds = kindsOf(end < 0 ? [] : words.slice(end + 1))
  const unmerged = [...stages].map(([path, { 1: base, 2: ours, 3: theirs }]) => ({
    path,
    ...(base && { base }),
    ...(ours && { ours }),
    ...(theirs && { theirs }),
    kinds: kinds.get(path) ?? [],
  }))
  return { tree, unmerged }
}

function kindsOf(words: readonly string[]): Map<string, string[]> {
  const kinds = new Map<string, string[]>()
  for (let at = 0; at + 2 < words.length; ) {
    const paths = words.slice(at + 1, at + 1 + Number(words[at]))
    const kind = words[at + 1 + paths.length] ?? ''
    for (const path of paths) {
      const known = kinds.get(path)
      if (known) known.push(kind)
      else kinds.set(path, [kind])
    }
    at += paths.length + 3
  }
  return kinds
}
