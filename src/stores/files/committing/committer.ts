import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Author } from '#core/document.ts'
import { actionOfAll, sentenceOf } from '#core/history/revision-message.ts'
import { keyText } from '#core/key.ts'
import { attributePaths } from '#git/files/attributes.ts'
import type { Conversions } from '#git/files/conversions.ts'
import { checkPlaces } from '#git/files/places.ts'
import type { IndexEntry } from '#git/index/bytes.ts'
import { IndexCopy } from '#git/index/copy.ts'
import { lookUp } from '#git/index/file.ts'
import { calm } from '#git/index/lock.ts'
import type { JournalFile } from '#git/landing/journal.ts'
import type { Landing } from '#git/landing/landing.ts'
import type { Staged } from '#git/landing/staged.ts'
import { type BranchHead, standing } from '#git/landing/standing.ts'
import { BlobIds, type KeptBlob } from '#git/objects/blob-id.ts'
import type { FastImport } from '#git/objects/fast-import.ts'
import type { CommitOrder } from '#git/objects/import-commands.ts'
import type { Objects } from '#git/objects/objects.ts'
import type { Repository } from '#git/repository.ts'
import type { Clock } from '#lib/clock.ts'
import { syncFolder } from '#lib/files/atomic.ts'
import type { AnyBytes } from '#lib/files/bytes.ts'
import type { Tree } from '../disk/tree.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { StepFiles } from '../writing/step-files.ts'
import type { Edit, Step } from '../writing/steps.ts'
import type { Keeping, Planned } from '../writing/writer.ts'
import { type BesideState, convertedFiles, IgnoredFiles, isOfMedia } from './beside-files.ts'
import type { Committed, OnCommitted } from './committed.ts'
import { bytesOf, documentsIn, effectsOf, type KeptEdit } from './kept-edits.ts'
import { LeftBehind } from './left-behind.ts'
import { placesOfNew, refuseLeftOut } from './left-out.ts'
import { type GitState, type Keep, localEdits } from './local-edits.ts'
import { identityText, messageText, parseMessage } from './message.ts'
import type { Numbering } from './numbering.ts'
import { refusedByGit } from './refusals.ts'
import type { GitSettings } from './settings.ts'

interface Deps {
  repository: Repository
  settings: GitSettings
  objects: Objects
  conversions: Conversions
  staged: Staged
  fastImport: FastImport
  landing: Landing
  numbering: Numbering
  tree: Tree
  registry: FileRegistry
  clock: Clock
  /** Resolves with the author that local edits are committed as. */
  localAuthor: () => Promise<Author>
  onCommitted: OnCommitted
  /** A callback before an author's own edits are committed. */
  onKeep?: (() => Promise<void>) | undefined
  /** Finishes or forgets what a crash of another process left. */
  mend: () => Promise<void>
  onStep: (step: 'check' | 'make') => void
}

/** A batch, or an edit by hand, as git is to keep it. */
type Kept = Omit<Planned, 'edits' | 'outcomes'> & { readonly edits: readonly KeptEdit[] }

/** A commit about to be made. */
type Draft = Omit<Committed, 'commit' | 'edits'> & { readonly order: CommitOrder; readonly edits: readonly KeptEdit[] }

/**
 * Keeps batches as commits, one a batch with the acting user as its author: as many as wait in one process of git. The caller
 * holds the lock of the repository's writers.
 */
export class Committer implements Keeping {
  readonly most = 256
  readonly #deps: Deps
  #tip: string | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  calm(): Promise<() => boolean> {
    return calm(this.#deps.repository)
  }

  async keep(batches: readonly Planned[], steps: readonly Step[]): Promise<boolean> {
    try {
      return await this.#keep(batches, steps)
    } catch (error) {
      throw refusedByGit(error)
    }
  }

  async #keep(asked: readonly Planned[], steps: readonly Step[]): Promise<boolean> {
    const { repository, settings, staged, landing, onStep } = this.#deps
    onStep('check')
    await this.#deps.mend()
    const head = await standing(repository, settings.branch)
    await this.#look(head)
    const behind = await LeftBehind.find(this.#deps, steps)
    const planned = behind.removedBy(asked)
    const paths = [...new Set(planned.flatMap(({ edits }) => edits.map(({ path }) => this.#full(path))))]
    const ofNew = placesOfNew(steps, this.#deps.registry.places)
    const wanted = new Set([...paths, ...attributePaths(paths), ...ofNew.map((path) => this.#full(path))])
    const { seen, entries } = await lookUp(repository, wanted)
    refuseLeftOut(this.#deps, ofNew, entries)
    refuseLeftOut(this.#deps, behind.paths, entries, { not: 'its record stays where it is', do: 'Have' })
    const ignored = await IgnoredFiles.find(this.#deps, steps, entries)
    const batches = ignored.without(planned, repository, steps)
    const verbatim = batches.flatMap(({ edits }) => edits.filter(isOfMedia).map(({ path }) => this.#full(path)))
    await checkPlaces(repository, paths, entries, new Set([...verbatim, ...ignored.paths]))
    const ids = new BlobIds(repository)
    const keep = await this.#keeper(batches, steps, { entries, ids, ignored })
    const asKept = (edit: Edit) => ({ ...edit, after: edit.after && keep(edit.path, edit.after) })
    const kept = batches.map((batch) => ({ ...batch, edits: batch.edits.map(asKept) }))
    await ids.prepare(bytesOf(kept, steps))
    const state = { commit: head.commit, entries, staged: await staged.against(head.commit, seen.stamp), keep, ids }
    const held = steps.filter(({ before }) => !ignored.has(before))
    const edited = await localEdits(this.#deps, held, state, settings.local_edits)
    const drafts = [...(await this.#keptEdits(edited, entries, keep)), ...kept.map((batch) => this.#draft(batch, entries))]
    onStep('make')
    const journal = this.#journal(kept, steps, state)
    const changes = journal.map(({ path, mode, next }) => ({ path, mode, id: next ?? undefined }))
    const made = await this.#make(head, drafts, steps, () => IndexCopy.prepare(repository, seen, changes))
    try {
      const tip = made.commits.at(-1)
      const moved = ignored.moved(repository, steps)
      if (tip === undefined || !(await landing.land({ head, tip, ...made, journal, moved }))) return false
      this.#tip = tip
      this.#tell(drafts, made.commits, ids, { old: head.commit, tip })
      return true
    } finally {
      made.files.discard()
      made.index.discard()
    }
  }

  #full(path: string): string {
    return `${this.#deps.repository.prefix}${path}`
  }

  /** Returns the function by which the bytes of a write are kept. */
  async #keeper(batches: readonly Planned[], steps: readonly Step[], state: BesideState): Promise<Keep> {
    const found = [
      ...steps.map(({ path, before }) => ({ path: this.#full(path), bytes: before })),
      ...batches.flatMap(({ edits }) => edits.map(({ path, after }) => ({ path: this.#full(path), bytes: after }))),
    ]
    const files = found.flatMap(({ path, bytes }) => (Buffer.isBuffer(bytes) ? [{ path, bytes }] : []))
    const keep = await this.#deps.conversions.keeper(files, state.entries)
    const converted = await convertedFiles(this.#deps, steps, state)
    return (path, bytes) => (Buffer.isBuffer(bytes) ? keep(this.#full(path), bytes) : (converted.get(bytes) ?? bytes))
  }

  /** Takes into account the number of a commit that someone else has made since. */
  async #look({ commit }: BranchHead): Promise<void> {
    if (commit === undefined || commit === this.#tip) return
    const text = (await this.#deps.objects.read(commit))?.bytes.toString('utf8') ?? ''
    const seconds = Number(/^author .* (\d+) [+-]\d{4}$/m.exec(text)?.[1] ?? 0)
    this.#deps.numbering.seen(parseMessage(text).number ?? seconds * 1000 + 999)
  }

  /** An author's own edits, each in a commit of its own before any of ours. */
  async #keptEdits(steps: readonly Step[], entries: ReadonlyMap<string, IndexEntry>, keep: Keep): Promise<Draft[]> {
    if (steps.length === 0) return []
    await this.#deps.onKeep?.()
    const by = await this.#deps.localAuthor()
    return steps.map(({ path, key, before, isBeside }) => {
      const edit: KeptEdit = { path, key, existed: true, after: before && keep(path, before), ...(isBeside && { isBeside }) }
      const note = { action: 'external' as const, message: `Keep local edit of ${path}` }
      return this.#draft({ edits: [edit], by, note, from: undefined }, entries)
    })
  }

  #draft({ edits, by, note, from }: Kept, entries: ReadonlyMap<string, IndexEntry>): Draft {
    const { clock, numbering, settings } = this.#deps
    const number = numbering.next(
      edits.map(({ path }) => path),
      clock.now(),
    )
    const effects = effectsOf(edits)
    const action = note.action ?? actionOfAll(effects, from)
    const text = note.message ?? sentenceOf(action, effects)
    const moved = from && keyText(from)
    const order: CommitOrder = {
      author: identityText(by),
      committer: identityText(settings.author),
      seconds: Math.floor(number / 1000),
      message: messageText({ text, number, action, actions: note.actions, request: note.request, from: moved }),
      edits: edits.map(({ path, after }) => ({ path: this.#full(path), mode: this.#mode(path, entries), bytes: after })),
    }
    return { order, edits, number, action, actions: note.actions, by, message: text, from: moved }
  }

  #mode(path: string, entries: ReadonlyMap<string, IndexEntry>): string {
    const known = entries.get(this.#full(path))?.mode
    if (known !== undefined) return known
    const stats = statSync(this.#deps.tree.real(path), { throwIfNoEntry: false })
    return stats && (stats.mode & 0o100) !== 0 ? '100755' : '100644'
  }

  #journal(batches: readonly Kept[], steps: readonly Step[], { entries, ids }: GitState): JournalFile[] {
    const idOf = (bytes: AnyBytes | KeptBlob | undefined) => (bytes ? ids.of(bytes) : null)
    const before = new Map(steps.map((step) => [step.path, step.before]))
    const last = new Map(batches.flatMap(({ edits }) => edits.map((edit): [string, KeptEdit] => [edit.path, edit])))
    return [...last.values()].map(({ path, after, isBeside }) => {
      const next = idOf(after)
      const base = before.has(path) ? idOf(before.get(path)) : next
      const staged = entries.get(this.#full(path))?.id ?? null
      const file = { path: this.#full(path), mode: this.#mode(path, entries), base, next, staged }
      return isBeside && !(after && 'id' in after) ? { ...file, isVerbatim: true } : file
    })
  }

  /** The commits, the new files and the new index, all at once. Where one can't be made, nothing is left of the others. */
  async #make(head: BranchHead, drafts: readonly Draft[], steps: readonly Step[], indexCopy: () => Promise<IndexCopy>) {
    const { repository, fastImport, tree, registry } = this.#deps
    const orders = drafts.map(({ order }) => order)
    const [commits, index, files] = await Promise.allSettled([
      fastImport.make(head.commit, orders),
      indexCopy(),
      StepFiles.prepare(tree, registry, steps),
    ])
    if (commits.status === 'fulfilled' && index.status === 'fulfilled' && files.status === 'fulfilled') {
      await syncFolder(join(repository.common, 'objects', 'pack'))
      return { commits: commits.value, index: index.value, files: files.value }
    }
    if (index.status === 'fulfilled') index.value.discard()
    if (files.status === 'fulfilled') files.value.discard()
    throw [files, index, commits].find((one) => one.status === 'rejected')?.reason
  }

  #tell(
    drafts: readonly Draft[],
    commits: readonly string[],
    ids: BlobIds,
    { old, tip }: { old?: string | undefined; tip: string },
  ): void {
    const committed = drafts.map(({ order: _, edits, ...draft }, at) => ({
      ...draft,
      commit: commits[at] ?? tip,
      edits: documentsIn(edits).map(({ path, key, after }) => ({ path, key, blob: after && ids.of(after) })),
    }))
    this.#deps.onCommitted(committed, old, tip)
  }
}
