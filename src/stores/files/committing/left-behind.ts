import { lstatSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import { type Key, SYSTEM_FOLDERS } from '#core/key.ts'
import { isAttachmentName } from '#core/media/attachments.ts'
import { git } from '#git/process.ts'
import type { Repository } from '#git/repository.ts'
import { composed } from '#lib/text/normal-form.ts'
import { goesAway } from '#stores/engine/along.ts'
import type { Tree } from '../disk/tree.ts'
import type { Edit, Step } from '../writing/steps.ts'
import type { Planned } from '../writing/writer.ts'

const INDEX = /^(.+)\/index\.[^/.]+$/
/** Number of folders that git is asked about at once. */
const AT_ONCE = 500

/**
 * The files of records that a write moves or removes, which git holds and which are not in the folder: they would stay in the
 * history without their records, and be public wherever it is checked out.
 */
export class LeftBehind {
  /** Paths from the site's root, each with the key of its record. */
  readonly #keys: ReadonlyMap<string, Key>

  static async find({ repository, tree }: { repository: Repository; tree: Tree }, steps: readonly Step[]): Promise<LeftBehind> {
    const keys = new Map<string, Key>()
    const folders = foldersOf(steps)
    const names = [...folders.keys()]
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const held = await heldIn(repository, names.slice(at, at + AT_ONCE))
      const owners = new Set(held.flatMap((path) => INDEX.exec(path)?.[1] ?? []))
      for (const path of held) {
        if (!isAttachmentName(path) || lstatSync(tree.real(path), { throwIfNoEntry: false })) continue
        const folder = above(path).find((one) => folders.has(one))
        const key = folder === undefined ? undefined : folders.get(folder)
        const isOwner = (one: string) => owners.has(`${folder}/${one}`)
        if (key && goesAway(composed(path.slice(`${folder}/`.length)), isOwner)) keys.set(path, key)
      }
    }
    return new LeftBehind(keys)
  }

  private constructor(keys: ReadonlyMap<string, Key>) {
    this.#keys = keys
  }

  get paths(): string[] {
    return [...this.#keys.keys()]
  }

  /** Returns the batches with the removal of these files: whoever removed them from the folder did so by hand. */
  removedBy(batches: readonly Planned[]): readonly Planned[] {
    if (this.#keys.size === 0) return batches
    return batches.map((batch) => {
      const gone = new Set(batch.edits.flatMap(({ path, after }) => (after ? [] : (INDEX.exec(path)?.[1] ?? []))))
      const edits = [...this.#keys].filter(([path]) => above(path).some((folder) => gone.has(folder)))
      const removals = edits.map(([path, key]): Edit => ({ path, key, existed: true, after: undefined, isBeside: true }))
      return { ...batch, edits: [...batch.edits, ...removals] }
    })
  }
}

/** The folders that records leave, from the site's root. */
function foldersOf(steps: readonly Step[]): Map<string, Key> {
  return new Map(
    steps.flatMap(({ path, key, before, after, isBeside }) => {
      const folder = before && !after && !isBeside && !SYSTEM_FOLDERS.has(key.kind) ? INDEX.exec(path)?.[1] : undefined
      return folder === undefined || key.id === 'index' ? [] : [[folder, key] as const]
    }),
  )
}

/** The files of folders that the index of git has, from the site's root. */
async function heldIn({ top, prefix }: Repository, folders: readonly string[]): Promise<string[]> {
  const out = await git(top, ['ls-files', '-z', '--', ...folders.map((folder) => `${prefix}${folder}/`)])
  const paths = out.toString('utf8').split('\0').slice(0, -1)
  return paths.map((path) => path.slice(prefix.length))
}

function above(path: string): string[] {
  const folders: string[] = []
  for (let at = dirname(path); at !== '.'; at = dirname(at)) folders.push(at)
  return folders
}
