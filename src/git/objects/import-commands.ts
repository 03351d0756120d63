import { type AnyBytes, lengthOf } from '#lib/files/bytes.ts'
import type { KeptBlob } from './blob-id.ts'

/** A commit to be made, on top of the one before it. Paths are from the top of the working tree. */
export interface CommitOrder {
  /** The commit that it goes on top of, where that is another. */
  readonly on?: string
  /** A commit that it merges. */
  readonly merges?: string
  /** `Name <email>`. */
  readonly author: string
  readonly committer: string
  /** Since 1970. */
  readonly seconds: number
  readonly message: string
  readonly edits: readonly { readonly path: string; readonly mode: string; readonly bytes: AnyBytes | KeptBlob | undefined }[]
}

/**
 * Ref where commits wait until the branch is moved to them. It is taken away by who made the last of them when they end; what a
 * crash leaves there is replaced by the next batch.
 */
export const PENDING = 'refs/cms/pending'

/** Returns the commands that make a commit with this mark on the ref where commits wait, and ask for its hash. */
export function commitLines(order: CommitOrder, mark: number, from: string | undefined): AnyBytes[] {
  const when = `${order.seconds} +0000`
  const on = order.on ?? from
  const head = [
    `commit ${PENDING}`,
    `mark :${mark}`,
    `author ${order.author} ${when}`,
    `committer ${order.committer} ${when}`,
    `data ${Buffer.byteLength(order.message)}`,
    order.message,
    ...(on === undefined ? [] : [`from ${on}`]),
    ...(order.merges === undefined ? [] : [`merge ${order.merges}`]),
  ]
  return [Buffer.from(`${head.join('\n')}\n`), ...order.edits.flatMap(editLines), Buffer.from(`\nget-mark :${mark}\n`)]
}

function editLines({ path, mode, bytes }: CommitOrder['edits'][number]): AnyBytes[] {
  if (!bytes) return [Buffer.from(`D ${quoted(path)}\n`)]
  if ('id' in bytes) return [Buffer.from(`M ${mode} ${bytes.id} ${quoted(path)}\n`)]
  return [Buffer.from(`M ${mode} inline ${quoted(path)}\ndata ${lengthOf(bytes)}\n`), bytes, Buffer.from('\n')]
}

/** Returns a path as a C string, so that no character of it ends the line. */
export function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
}
