import type { Access } from '#core/access/access.ts'
import { MEDIA } from '#core/key.ts'
import { seesAllTypes } from '#core/queries/known-types.ts'
import { messageFor } from '#http/past/revisions.ts'
import type { ChangedKind, LastChange, SeenChange } from '../changed-kind.ts'
import { mayRead, seesWhole } from '../records/reading/reading-rights.ts'
import type { PastDeps } from './past.ts'
import { textIn } from './sidecar.ts'
import { isOwn } from './sight.ts'

/** The changes of media: one for each that is there for the reader, removed ones for who sees all drafts. */
export class ChangedMedia implements ChangedKind {
  readonly kind = MEDIA
  readonly #deps: Pick<PastDeps, 'store' | 'types' | 'isThere'>

  constructor(deps: Pick<PastDeps, 'store' | 'types' | 'isThere'>) {
    this.#deps = deps
  }

  async seen(access: Access, { key, revision, head }: LastChange): Promise<readonly SeenChange[]> {
    if (!(await mayRead(this.#deps, access))) return []
    const { store } = this.#deps
    const reader = { isWhole: await seesWhole(store, access), seesTypes: await seesAllTypes(store, access) }
    const { isWhole } = reader
    if (!isWhole && !head) return []
    if (!(await this.#deps.isThere(access, { key, head }))) return []
    // It may name the file as it was called before.
    const message = isWhole || isOwn(access, { head }) ? messageFor(reader, revision.message) : null
    return [{ kind: 'media', type: 'media', id: key.id, title: textIn(head?.fields ?? {}, 'title'), revision, message }]
  }
}
