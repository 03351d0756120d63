import { namedBytes } from '#core/files/moved-files.ts'
import type { BlobRef } from '#core/media/blobs.ts'
import type { Cargo, ComingFile, Destination, MovedDocument, MovedWrite, Origin } from '#core/transfer.ts'
import { Conflict } from '#lib/errors.ts'

/** Limits of a batch to hand over: writes, or bytes of them. */
const MOST_WRITES = 500
const MOST_BYTES = 16 * 1024 * 1024

/** A listener for progress: the current step, and how far it is. */
export type OnProgress = (what: 'history' | 'documents', done: number, of: number) => void

/** The options for carrying a site. `force` carries one that was moved away before. */
export interface CarryOptions {
  readonly force: boolean
  readonly signal: AbortSignal
  readonly onProgress: OnProgress
}

/** The result of carrying a site; `resumed` is the number of writes that were already there from an interrupted attempt. */
export interface Carried extends Cargo {
  readonly from: string
  readonly to: string
  readonly resumed: number
  /** Files that are no documents, those of media among them. */
  readonly files: number
}

/**
 * Carries a site from where it is to another place, its history with it, then marks it as moved. Cut short, it goes on when
 * called again with the same two. Throws Conflict where there is a site at the other place already, or where this one was moved
 * before.
 */
export async function carry(origin: Origin, destination: Destination, options: CarryOptions): Promise<Carried> {
  const { fingerprint, cargo, movedTo } = origin
  // One that was marked, and then cut short, is still on its way.
  if (movedTo !== undefined && !options.force && destination.arriving !== fingerprint) throw movedBefore(movedTo)
  const resumed = await destination.begin(fingerprint)
  await giveWrites(origin, destination, resumed, options)
  const named = new Map<string, BlobRef>()
  await destination.takeDocuments(counted(origin, named, options))
  let files = 0
  await destination.takeFiles(coming(origin, named, options, () => files++))
  await destination.takeFacts(origin.facts())
  await destination.takeAudit(origin.audit())
  options.signal.throwIfAborted()
  await origin.leave(destination.name)
  await destination.finish()
  return { ...cargo, from: origin.name, to: destination.name, resumed, files }
}

async function giveWrites(
  origin: Origin,
  destination: Destination,
  from: number,
  { signal, onProgress }: CarryOptions,
): Promise<void> {
  let done = from
  let batch: MovedWrite[] = []
  let bytes = 0
  const give = async () => {
    signal.throwIfAborted()
    await destination.takeWrites(batch)
    done += batch.length
    batch = []
    bytes = 0
    onProgress('history', done, origin.cargo.writes)
  }
  for await (const write of origin.writes(from)) {
    batch.push(write)
    bytes += write.revisions.reduce((sum, one) => sum + (one.bytes?.length ?? 0), 0)
    if (batch.length >= MOST_WRITES || bytes >= MOST_BYTES) await give()
  }
  if (batch.length > 0) await give()
}

/** Gives the documents, and notes the blobs that sidecars name, by the paths of their files. */
async function* counted(
  origin: Origin,
  named: Map<string, BlobRef>,
  { signal, onProgress }: CarryOptions,
): AsyncGenerator<MovedDocument> {
  const of = origin.cargo.documents + origin.cargo.privates
  let done = 0
  for await (const document of origin.documents()) {
    signal.throwIfAborted()
    const bytes = namedBytes(document)
    if (bytes) named.set(bytes.path, bytes.ref)
    yield document
    if (++done % 100 === 0) onProgress('documents', done, of)
  }
}

async function* coming(
  origin: Origin,
  named: ReadonlyMap<string, BlobRef>,
  { signal }: CarryOptions,
  count: () => void,
): AsyncGenerator<ComingFile> {
  for await (const file of origin.files()) {
    signal.throwIfAborted()
    yield { ...file, named: file.area === 'content' ? named.get(file.path) : undefined }
    count()
  }
}

function movedBefore(to: string): Conflict {
  return new Conflict(`This site was moved to ${to} before.`, undefined, 'Go on there; --force moves what was left here.')
}
