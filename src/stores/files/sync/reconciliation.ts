import { gitText } from '#git/process.ts'
import type { MergeEdit } from '#git/remote/merge-commit.ts'
import { type Blob, mergeTrees, type Unmerged } from '#git/remote/merge-tree.ts'
import type { Preferred } from '#lib/text/diff3.ts'
import type { MergeDeps, SyncConflict } from './merge-conflict.ts'
import { misplaced } from './misplaced.ts'
import { mergeRecord, type Overlap, type RecordForm, saysTheSame, type Versions } from './record-merge.ts'
import { blobAt, changedFiles, movedFiles, textOf } from './tree-files.ts'

/** The result of merging two commits. */
export interface Reconciled {
  /** The tree that git made, in which `edits` are still to be made. */
  readonly tree: string
  readonly edits: readonly MergeEdit[]
  /** Records merged by field and paragraph, from the top. */
  readonly merged: string[]
  /** The parts that were decided by preference. */
  readonly chosen: string[]
  /** Files beside records that followed their records. */
  readonly followed: readonly string[]
  readonly conflicts: SyncConflict[]
}

interface Outcome {
  readonly edit?: MergeEdit
  readonly conflict?: SyncConflict
  readonly by?: 'merge' | 'preference'
}

/**
 * Conflicts in which each side has its own form of the path, so that one can be chosen. Others (a file where the other has a
 * folder) need a person with git.
 */
const DECIDABLE: ReadonlySet<string> = new Set([
  'Auto-merging',
  'CONFLICT (contents)',
  'CONFLICT (binary)',
  'CONFLICT (modify/delete)',
  'CONFLICT (rename/delete)',
])
const FILE = /^100(?:644|755)$/

/**
 * Merges two commits: by git where lines do not touch, records by field and paragraph where they do. Nothing but the store of
 * objects is written. What can't be merged is in `conflicts`, or decided by `prefer` where that is given.
 */
export async function reconcile(deps: MergeDeps, ours: string, theirs: string, prefer?: Preferred): Promise<Reconciled> {
  const { tree, unmerged } = await mergeTrees(deps.top, ours, theirs)
  const broken = await brokenRecords(deps, { tree, ours, theirs }, new Set(unmerged.map(({ path }) => path)))
  const result = {
    tree,
    edits: [] as MergeEdit[],
    merged: [] as string[],
    chosen: [] as string[],
    conflicts: [] as SyncConflict[],
    followed: [] as string[],
  }
  for (const one of [...unmerged, ...broken]) {
    const { edit, conflict, by } = await settle(deps, one, prefer)
    if (edit) result.edits.push(edit)
    if (conflict) result.conflicts.push(conflict)
    if (by) result[by === 'merge' ? 'merged' : 'chosen'].push(one.path)
  }
  if (result.conflicts.length > 0) return result
  for (const { edits, conflict, path, by } of await misplaced(deps, { tree, edits: result.edits, ours, theirs }, prefer)) {
    result.edits.push(...edits)
    if (conflict) result.conflicts.push(conflict)
    else result[by === 'merge' ? 'followed' : 'chosen'].push(path)
  }
  return result
}

/**
 * Lines that do not touch can still make front matter that can't be read, one key added by both at two places, or that says what
 * neither side does: a draft of which each removed one of two words for it.
 */
async function brokenRecords(
  deps: MergeDeps,
  { tree, ours, theirs }: { tree: string; ours: string; theirs: string },
  known: ReadonlySet<string>,
): Promise<Unmerged[]> {
  const [fromOurs, fromTheirs] = await Promise.all([changedFiles(deps.top, ours, tree), changedFiles(deps.top, theirs, tree)])
  const both = [...fromOurs.keys()].filter((path) => fromTheirs.has(path) && !known.has(path))
  const base = both.length === 0 ? undefined : await mergeBaseOf(deps.top, ours, theirs)
  const broken: Unmerged[] = []
  const moved: Record<string, Map<string, string>> = {}
  for (const path of both) {
    const [mine, others, form] = [fromOurs.get(path), fromTheirs.get(path), deps.recordAt(path)]
    if (!mine || !others || !form) continue
    // One that a side moved is where it was on the other.
    const mover = mine.from ? ours : theirs
    if (base && !(mine.from && others.from)) moved[mover] ??= await movedFiles(deps.top, base.tree, mover)
    const old = mine.from && others.from ? path : moved[mover]?.get(path)
    const at = (commit: string) => (old === undefined ? undefined : blobAt(deps.objects, commit, old))
    const isClear = base && !base.unclear.has(old ?? '')
    const sides = {
      base: isClear ? await at(base.tree) : undefined,
      ours: mine.from ?? (await at(ours)),
      theirs: others.from ?? (await at(theirs)),
    }
    const made = await deps.objects.read(mine.to.id)
    if (!sides.ours || !sides.theirs || !made) continue
    const one: Unmerged = { path, ...present(sides), kinds: ['CONFLICT (contents)'] }
    if (!saysTheSame(form, made.bytes, await versionsOf(deps, one))) broken.push(one)
  }
  return broken
}

function present(sides: Record<'base' | 'ours' | 'theirs', Blob | undefined>): Pick<Unmerged, 'base' | 'ours' | 'theirs'> {
  return Object.fromEntries(Object.entries(sides).filter(([, blob]) => blob !== undefined))
}

/** The state that both sides come from: a commit or a tree. */
interface MergeBase {
  readonly tree: string
  /** Files of which that can't be told. */
  readonly unclear: ReadonlySet<string>
}

/**
 * Resolves with the base of a merge: of two, where branches were merged into each other, what merging them makes. Undefined where
 * there are more; git's merge is taken then.
 */
async function mergeBaseOf(top: string, ours: string, theirs: string): Promise<MergeBase | undefined> {
  const all = await gitText(top, ['merge-base', '--all', '--end-of-options', ours, theirs])
  const [first, second, ...others] = all.split('\n').filter((line) => line !== '')
  if (first === undefined || others.length > 0) return undefined
  if (second === undefined) return { tree: first, unclear: new Set() }
  const { tree, unmerged } = await mergeTrees(top, first, second)
  return { tree, unclear: new Set(unmerged.map(({ path }) => path)) }
}

async function versionsOf({ objects }: MergeDeps, { base, ours, theirs }: Unmerged): Promise<Versions | undefined> {
  const [before, mine, others] = await Promise.all([base, ours, theirs].map((side) => side && objects.read(side.id)))
  return before && mine && others && { base: before.bytes, ours: mine.bytes, theirs: others.bytes }
}

async function settle(deps: MergeDeps, one: Unmerged, prefer: Preferred | undefined): Promise<Outcome> {
  const form = deps.recordAt(one.path)
  const found = form && isContents(one) ? await merged(deps, one, form, prefer) : undefined
  if (found && 'bytes' in found) {
    return { edit: { path: one.path, mode: modeOf(one), bytes: found.bytes }, by: found.decided ? 'preference' : 'merge' }
  }
  if (prefer && one.kinds.every((kind) => DECIDABLE.has(kind))) return { edit: sideAt(one, prefer), by: 'preference' }
  return { conflict: await conflictOf(deps, one, form, found?.overlap) }
}

/** Returns whether the conflict is only about the text of one plain file that all three have. */
function isContents({ base, ours, theirs, kinds }: Unmerged): boolean {
  const areFiles = [base, ours, theirs].every((side) => side !== undefined && FILE.test(side.mode))
  return areFiles && kinds.every((kind) => kind === 'Auto-merging' || kind === 'CONFLICT (contents)')
}

async function merged(
  deps: MergeDeps,
  one: Unmerged,
  form: RecordForm,
  prefer: Preferred | undefined,
): Promise<{ bytes: Buffer; decided: boolean } | { overlap: Overlap } | undefined> {
  const versions = await versionsOf(deps, one)
  if (!versions) return undefined
  const plain = mergeRecord(form, versions)
  if (plain && 'bytes' in plain) return { ...plain, decided: false }
  const decided = prefer && plain ? mergeRecord(form, versions, prefer) : undefined
  return decided && 'bytes' in decided ? { ...decided, decided: true } : plain
}

/** A side that changed the mode has its way. */
function modeOf({ base, ours, theirs }: Unmerged): string {
  const mode = ours?.mode === base?.mode ? theirs?.mode : ours?.mode
  return mode ?? '100644'
}

/** A path as one side has it. */
function sideAt(one: Unmerged, side: Preferred): MergeEdit {
  const { path, [side]: blob } = one
  return blob ? { path, ...blob } : { path, mode: '0', removed: true }
}

async function conflictOf(
  deps: MergeDeps,
  one: Unmerged,
  form: RecordForm | undefined,
  overlap: Overlap | undefined,
): Promise<SyncConflict> {
  const file = one.path.startsWith(deps.prefix) ? one.path.slice(deps.prefix.length) : `/${one.path}`
  const named = { file, type: form?.key.kind ?? null, id: form?.key.id ?? null }
  if (overlap) {
    const { fields, base, ours, theirs } = overlap
    return { ...named, fields, ours, theirs, base }
  }
  const [base, ours, theirs] = await Promise.all([one.base, one.ours, one.theirs].map((side) => textOf(deps.objects, side)))
  return { ...named, fields: [], ours: ours ?? null, theirs: theirs ?? null, base: base ?? null }
}
