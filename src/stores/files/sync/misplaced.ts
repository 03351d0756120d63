import { createHash } from 'node:crypto'
import { RECORD_ENDINGS } from '#core/files/layout.ts'
import { foldersAbove, isAttachmentName } from '#core/media/attachments.ts'
import type { MergeEdit } from '#git/remote/merge-commit.ts'
import type { Preferred } from '#lib/text/diff3.ts'
import type { MergeDeps, SyncConflict } from './merge-conflict.ts'
import { blobAt, changedFiles, goneFiles, movedFiles, textOf } from './tree-files.ts'

/** A merge as git made it, with the edits that are still to be made. */
interface Made {
  readonly tree: string
  readonly edits: readonly MergeEdit[]
  readonly ours: string
  readonly theirs: string
}

/** A file that is merged without a word from git and can't stay as it is: put elsewhere, decided by preference, or a conflict. */
interface Misplaced {
  readonly path: string
  readonly edits: readonly MergeEdit[]
  readonly conflict?: SyncConflict
  readonly by: 'merge' | 'preference'
}

/** One side of a merge, from which files come into what is merged. */
interface Side {
  readonly name: Preferred
  readonly commit: string
  readonly other: string
}

const INDEX = /^(.+)\/index\.[^/.]+$/
const CHECKSUM = /^checksum:\s*["']?sha256:([0-9a-f]{64})/m

/**
 * Settles the files that one side added where the other has changed what they belong to: beside a record that has moved, they
 * follow it; where it is gone, and where media of the other side have the name with bytes that no commit has, it is a conflict.
 */
export async function misplaced(deps: MergeDeps, made: Made, prefer: Preferred | undefined): Promise<Misplaced[]> {
  const sides: Side[] = [
    { name: 'ours', commit: made.ours, other: made.theirs },
    { name: 'theirs', commit: made.theirs, other: made.ours },
  ]
  const found: Misplaced[] = []
  for (const side of sides) {
    found.push(...(await new Strays(deps, made, side).settle(prefer)), ...(await rivals(deps, made, side, prefer)))
  }
  return found
}

/** The files beside records that a side added, and whose records are elsewhere or gone in what is merged. */
class Strays {
  readonly #deps: MergeDeps
  readonly #made: Made
  readonly #side: Side
  readonly #root: string
  readonly #edits: ReadonlyMap<string, MergeEdit>
  readonly #indexes = new Map<string, boolean>()

  constructor(deps: MergeDeps, made: Made, side: Side) {
    this.#deps = deps
    this.#made = made
    this.#side = side
    this.#root = `${deps.prefix}${deps.content}/`
    this.#edits = new Map(made.edits.map((edit) => [edit.path, edit]))
  }

  async settle(prefer: Preferred | undefined): Promise<Misplaced[]> {
    const { top } = this.#deps
    const { tree } = this.#made
    const { commit, other } = this.#side
    const removed = [...this.#edits.values()].flatMap((edit) => ('removed' in edit ? [edit.path] : []))
    const gone = this.#foldersOf([...(await goneFiles(top, commit, tree)), ...removed])
    if (gone.size === 0) return []
    const moved = new Map([...(await movedFiles(top, commit, tree))].map(([to, from]) => [from, to]))
    const found: Misplaced[] = []
    for (const [path, { from, to }] of await changedFiles(top, other, tree)) {
      const folder = from ? undefined : await this.#lostFolder(path, gone)
      if (folder === undefined) continue
      const next = INDEX.exec(moved.get(gone.get(folder) ?? '') ?? '')?.[1]
      const place = next?.startsWith(this.#root) ? `${next}${path.slice(folder.length)}` : undefined
      const isFree = place !== undefined && !(await this.#has(place)) && (await this.#holdsIndex(next ?? ''))
      const away: MergeEdit = { path, mode: '0', removed: true }
      if (isFree) found.push({ path: place, edits: [away, { path: place, ...to }], by: 'merge' })
      else found.push(await settled(this.#deps, this.#side, prefer, { path, without: [away], bytes: to.id }))
    }
    return found
  }

  /** The folders of records among files that are gone, each with the file of its record. */
  #foldersOf(paths: readonly string[]): Map<string, string> {
    const indexes = paths.filter((path) => path.startsWith(this.#root) && this.#deps.recordAt(path))
    return new Map(indexes.flatMap((path) => (INDEX.exec(path)?.[1] ? [[INDEX.exec(path)?.[1] ?? '', path] as const] : [])))
  }

  /** The folder of the record that a file belonged to, and that is no record's now. */
  async #lostFolder(path: string, gone: ReadonlyMap<string, string>): Promise<string | undefined> {
    const below = path.slice(this.#root.length)
    if (!path.startsWith(this.#root) || below.startsWith('media/') || !isAttachmentName(path)) return undefined
    const folders = [...foldersAbove(below)].map((folder) => `${this.#root}${folder}`)
    if (!folders.some((folder) => gone.has(folder))) return undefined
    for (const folder of folders) {
      if (await this.#holdsIndex(folder)) return undefined
      if (gone.has(folder)) return folder
    }
    return undefined
  }

  async #holdsIndex(folder: string): Promise<boolean> {
    const known = this.#indexes.get(folder)
    if (known !== undefined) return known
    const there = await Promise.all(RECORD_ENDINGS.map((ending) => this.#has(`${folder}/index.${ending}`)))
    const holds = there.includes(true)
    this.#indexes.set(folder, holds)
    return holds
  }

  async #has(path: string): Promise<boolean> {
    const edit = this.#edits.get(path)
    return edit ? !('removed' in edit) : (await this.#deps.objects.info(`${this.#made.tree}:${path}`)) !== undefined
  }
}

/** The media files that a side added where the other uploaded one of the same name, whose bytes are in no commit. */
async function rivals(deps: MergeDeps, { tree }: Made, side: Side, prefer: Preferred | undefined): Promise<Misplaced[]> {
  const { top, prefix, content, objects } = deps
  const media = `${prefix}${content}/media/`
  const added = [...(await changedFiles(top, side.other, tree))].filter(([path, { from }]) => !from && path.startsWith(media))
  if (added.length === 0) return []
  const ofOther = await changedFiles(top, side.commit, tree)
  const found: Misplaced[] = []
  for (const [path, { to }] of added) {
    const sidecar = `${path}.yaml`
    const described = ofOther.get(sidecar) && (await blobAt(objects, tree, sidecar))
    const said = described && CHECKSUM.exec((await objects.read(described.id))?.bytes.toString('utf8') ?? '')?.[1]
    const bytes = said === undefined ? undefined : (await objects.read(to.id))?.bytes
    if (!bytes || createHash('sha256').update(bytes).digest('hex') === said) continue
    const away = (one: string): MergeEdit => ({ path: one, mode: '0', removed: true })
    found.push(await settled(deps, side, prefer, { path, with: [away(sidecar)], without: [away(path)], bytes: to.id }))
  }
  return found
}

/** A file of one side: `with` are the edits that leave it there, `without` those that take it away. */
interface Decision {
  readonly path: string
  readonly with?: readonly MergeEdit[]
  readonly without: readonly MergeEdit[]
  readonly bytes: string
}

async function settled(deps: MergeDeps, side: Side, prefer: Preferred | undefined, one: Decision): Promise<Misplaced> {
  const { path } = one
  if (prefer) return { path, edits: (prefer === side.name ? one.with : one.without) ?? [], by: 'preference' }
  const file = path.startsWith(deps.prefix) ? path.slice(deps.prefix.length) : `/${path}`
  const text = (await textOf(deps.objects, { mode: '100644', id: one.bytes })) ?? null
  const none = { ours: null, theirs: null, base: null }
  const conflict = { file, type: null, id: null, fields: [], ...none, [side.name]: text }
  return { path, edits: [], conflict, by: 'preference' }
}
