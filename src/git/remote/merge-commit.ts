import { git, gitText } from '../process.ts'

/**
 * The ref that holds a merge until the branch is moved to it. A ref that a crash leaves there is harmless, and is replaced by the
 * next merge.
 */
const MERGE = 'refs/cms/merge'

/** One path of the merged tree: new bytes, an object that is there, or nothing. */
export type MergeEdit = { readonly path: string; readonly mode: string } & (
  | { readonly bytes: Buffer }
  | { readonly id: string }
  | { readonly removed: true }
)

/** A merge to be committed. */
export interface MergeOrder {
  readonly ours: string
  readonly theirs: string
  readonly tree: string
  readonly edits: readonly MergeEdit[]
  /** `Name <email>`. */
  readonly author: string
  readonly committer: string
  /** Since 1970. */
  readonly seconds: number
  readonly message: string
}

/** Makes a merge of two commits, ours first, and resolves with its hash: it is on the disk then, and on no branch. */
export async function commitMerge(top: string, order: MergeOrder): Promise<string> {
  const when = `${order.seconds} +0000`
  const head = [
    `commit ${MERGE}`,
    `author ${order.author} ${when}`,
    `committer ${order.committer} ${when}`,
    `data ${Buffer.byteLength(order.message)}`,
    order.message,
    `from ${order.ours}`,
    `merge ${order.theirs}`,
    `M 040000 ${order.tree} ""`,
  ]
  const input = Buffer.concat([Buffer.from(`${head.join('\n')}\n`), ...order.edits.flatMap(editLines), Buffer.from('\ndone\n')])
  await git(top, ['fast-import', '--quiet', '--force', '--done', '--date-format=raw'], { input })
  return gitText(top, ['rev-parse', '--verify', '--end-of-options', MERGE])
}

/** Forgets the merge that waits: the branch holds it now, or nobody wants it. */
export async function forgetMerge(top: string): Promise<void> {
  await git(top, ['update-ref', '-d', MERGE])
}

function editLines(edit: MergeEdit): Buffer[] {
  const path = quoted(edit.path)
  if ('removed' in edit) return [Buffer.from(`D ${path}\n`)]
  if ('id' in edit) return [Buffer.from(`M ${edit.mode} ${edit.id} ${path}\n`)]
  return [Buffer.from(`M ${edit.mode} inline ${path}\ndata ${edit.bytes.length}\n`), edit.bytes, Buffer.from('\n')]
}

/** A path as a C string, so that no character of it ends the line. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
}
