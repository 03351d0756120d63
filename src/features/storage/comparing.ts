import { createHash } from 'node:crypto'
import type { SiteArea } from '#core/files/site-files.ts'
import { versionOf } from '#core/format/version.ts'
import { isPrivate, keyText } from '#core/key.ts'
import type { MovedRevision, MovedWrite, Origin } from '#core/transfer.ts'

/** Most differences that are reported. */
const MOST_TOLD = 20

/** A difference between the two copies of a document: `revision` is the number of the first one that differs. */
export interface Difference {
  readonly key: string
  readonly what: string
  readonly revision?: number
}

/** The amounts that were compared, and the differences; the first of them by name. */
export interface Comparison {
  readonly documents: number
  readonly revisions: number
  /** Files that are no documents, those of media among them. */
  readonly files: number
  readonly differences: number
  readonly first: readonly Difference[]
}

/** A revision as far as both must have it; what was made on the way differs in its time. */
interface Entry {
  readonly number: number
  readonly told: string
  readonly isKept: boolean
  readonly kept: string
}

/**
 * Compares what the files of a site and its database hold: every document's bytes, private ones too, every record's revisions, of
 * those there ever were, and every other file.
 */
export async function compare(files: Origin, database: Origin): Promise<Comparison> {
  const [here, there] = [await documentsOf(files), await documentsOf(database)]
  const [past, otherPast] = [await pastOf(files), await pastOf(database)]
  const [ours, theirs] = [await filesOf(files), await filesOf(database)]
  const differences = [...differing(here, there), ...differingPast(past, otherPast), ...differing(ours, theirs)]
  const revisions = [...past.values()].reduce((sum, list) => sum + list.length, 0)
  return {
    documents: here.size,
    revisions,
    files: ours.size,
    differences: differences.length,
    first: differences.slice(0, MOST_TOLD),
  }
}

async function documentsOf(origin: Origin): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const { key, file, bytes } of origin.documents())
    found.set(keyText(key), `${isPrivate(key.kind) ? '' : file} ${versionOf(bytes)}`)
  return found
}

/** The hashes of files by their paths from the site's root. */
async function filesOf(origin: Origin): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const { area, path, open } of origin.files()) {
    const hash = createHash('sha256')
    for await (const piece of await open()) hash.update(piece)
    found.set(pathOf(area, path), hash.digest('hex'))
  }
  return found
}

function pathOf(area: SiteArea, path: string): string {
  return area === 'static' ? `static/${path}` : `content/${path}`
}

async function pastOf(origin: Origin): Promise<Map<string, Entry[]>> {
  const found = new Map<string, Entry[]>()
  for await (const write of origin.writes(0)) {
    for (const revision of write.revisions) {
      const list = found.get(keyText(revision.key))
      const entry = entryOf(write, revision)
      if (list) list.push(entry)
      else found.set(keyText(revision.key), [entry])
    }
  }
  return found
}

function entryOf({ by, message, request, isKept }: MovedWrite, { number, at, action, bytes, file, from }: MovedRevision): Entry {
  const kept = JSON.stringify([action, bytes ? versionOf(bytes) : null, file])
  const told = JSON.stringify([number, at, by.name, by.email, message, request ?? null, from ?? null, kept])
  return { number, told, isKept: isKept === true, kept }
}

function* differing(here: ReadonlyMap<string, string>, there: ReadonlyMap<string, string>): Generator<Difference> {
  for (const key of namesOf(here, there)) {
    const [one, other] = [here.get(key), there.get(key)]
    if (one === other) continue
    const what =
      one === undefined
        ? 'is only in the database'
        : other === undefined
          ? 'is only in the files'
          : 'has other bytes, or another file'
    yield { key, what }
  }
}

function* differingPast(here: ReadonlyMap<string, Entry[]>, there: ReadonlyMap<string, Entry[]>): Generator<Difference> {
  for (const key of namesOf(here, there)) {
    const [one, other] = [here.get(key) ?? [], there.get(key) ?? []]
    const nth = [...Array(Math.max(one.length, other.length)).keys()].find((at) => !isSame(one[at], other[at]))
    if (nth === undefined) continue
    const revision = (one[nth] ?? other[nth])?.number
    yield {
      key,
      what: `has other revisions (${one.length} in the files, ${other.length} in the database)`,
      ...(revision !== undefined && { revision }),
    }
  }
}

function isSame(one: Entry | undefined, other: Entry | undefined): boolean {
  if (!one || !other) return false
  return one.isKept || other.isKept ? one.kept === other.kept : one.told === other.told
}

function namesOf(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].sort()
}
