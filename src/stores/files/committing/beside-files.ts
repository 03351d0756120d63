import { MEDIA } from '#core/key.ts'
import type { Conversions } from '#git/files/conversions.ts'
import { ignoredIn } from '#git/files/ignored.ts'
import { refuseFiltered } from '#git/files/places.ts'
import type { IndexEntry } from '#git/index/bytes.ts'
import type { MovedFile } from '#git/landing/journal.ts'
import { addedIds } from '#git/objects/added-ids.ts'
import type { BlobIds, KeptBlob } from '#git/objects/blob-id.ts'
import type { Repository } from '#git/repository.ts'
import type { AnyBytes } from '#lib/files/bytes.ts'
import type { Edit, Step } from '../writing/steps.ts'
import type { Planned } from '../writing/writer.ts'

interface Deps {
  readonly repository: Repository
  readonly conversions: Conversions
}

type Entries = ReadonlyMap<string, IndexEntry>

/** The state of git for the files beside documents, as a write finds it. */
export interface BesideState {
  readonly entries: Entries
  readonly ids: BlobIds
  readonly ignored: IgnoredFiles
}

/** A file beside a document that is there before a write; `path` is from the top of the working tree. */
interface BesideFile {
  readonly path: string
  readonly bytes: AnyBytes
}

/** The files that a write moves and removes, and that git is told to ignore and does not hold: they are in no commit. */
export class IgnoredFiles {
  readonly #paths: ReadonlyMap<AnyBytes, string>

  static async find({ repository }: Deps, steps: readonly Step[], entries: Entries): Promise<IgnoredFiles> {
    const unknown = besideFiles(repository, steps).filter(({ path }) => !entries.has(path))
    const paths = unknown.map(({ path }) => path)
    const ignored = new Set(paths.length > 0 ? await ignoredIn(repository, paths) : [])
    return new IgnoredFiles(unknown.filter(({ path }) => ignored.has(path)))
  }

  private constructor(files: readonly BesideFile[]) {
    this.#paths = new Map(files.map(({ path, bytes }) => [bytes, path]))
  }

  has(bytes: AnyBytes | undefined): boolean {
    return bytes !== undefined && this.#paths.has(bytes)
  }

  /** Their paths from the top of the working tree. */
  get paths(): string[] {
    return [...this.#paths.values()]
  }

  /** Returns the batches without these where they get another place; those that go are to be looked for after a crash. */
  without(batches: readonly Planned[], repository: Repository, steps: readonly Step[]): readonly Planned[] {
    const moved = new Set(this.moved(repository, steps).map(({ from }) => from))
    if (moved.size === 0) return batches
    const isHere = ({ path, after }: Edit) => !this.has(after) && (after || !moved.has(`${repository.prefix}${path}`))
    return batches.map((batch) => ({ ...batch, edits: batch.edits.filter(isHere) }))
  }

  /** Returns those of the files that get another place, by paths from the top of the working tree. */
  moved({ prefix }: Repository, steps: readonly Step[]): MovedFile[] {
    return steps.flatMap(({ path, after }) => {
      const from = after && this.#paths.get(after)
      return from === undefined ? [] : [{ from, to: `${prefix}${path}` }]
    })
  }
}

/**
 * Finds the blobs of files beside documents that git has with other line ends than the folder, and that nobody has edited; of
 * all others it is to keep the bytes as they are. Throws Conflict where an attribute has it keep something else than a file, and
 * it does not have the file as it is.
 */
export async function convertedFiles(
  { repository, conversions }: Deps,
  steps: readonly Step[],
  { entries, ids, ignored }: BesideState,
): Promise<ReadonlyMap<AnyBytes, KeptBlob>> {
  const files = besideFiles(repository, steps).filter(({ bytes }) => !ignored.has(bytes))
  await ids.prepare(files.map(({ bytes }) => bytes))
  const others = files.filter(({ path, bytes }) => entries.get(path)?.id !== ids.of(bytes))
  await refuseFiltered(repository, pathsOf(others), entries)
  const known = others.filter(({ path }) => entries.has(path))
  const conversionOf = await Promise.all(known.map(({ path }) => conversions.of(path)))
  const converted = known.filter((_, at) => conversionOf[at])
  const added = await addedIds(repository, pathsOf(converted))
  const kept = converted.map(({ path, bytes }, at) => ({
    bytes,
    id: added[at] ?? '',
    isClean: entries.get(path)?.id === added[at],
  }))
  return new Map(kept.flatMap(({ bytes, id, isClean }) => (isClean ? [[bytes, { id }]] : [])))
}

/** Returns whether an edit is of the bytes of media: Quire writes them as they are, whatever git would make of them. */
export function isOfMedia({ key, isBeside }: Pick<Edit, 'key' | 'isBeside'>): boolean {
  return isBeside === true && key.kind === MEDIA
}

function besideFiles({ prefix }: Repository, steps: readonly Step[]): BesideFile[] {
  return steps.flatMap(({ path, before, isBeside }) => (isBeside && before ? [{ path: `${prefix}${path}`, bytes: before }] : []))
}

function pathsOf(files: readonly BesideFile[]): string[] {
  return files.map(({ path }) => path)
}
