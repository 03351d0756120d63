import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import { isOtherForm } from '#core/files/file-form.ts'
import { mustFindRevision, revisionText } from '#core/history/revision-name.ts'
import { mustMatch } from '#http/answers/etag.ts'
import type { WriteOptions } from '#http/requests/write-options.ts'
import { Conflict, Forbidden } from '#lib/errors.ts'
import { seesWhole } from '../records/reading/reading-rights.ts'
import { unreadable } from '../records/unreadable.ts'
import { noteOf } from '../records/writing/commit-messages.ts'
import type { PastDeps, PastMenus } from './past.ts'
import { KIND } from './tree.ts'

/** A menu after a rollback to the revision `to`; `changed` false where it was like that before, and no revision was made. */
export interface RolledBackMenu {
  readonly document: Document
  readonly to: string
  readonly changed: boolean
}

/** The menu and the revision that a rollback names. */
interface Asked {
  readonly name: string
  readonly ts: string
}

/**
 * Makes a menu what it was in a revision, byte for byte, or brings a removed one back. Only for readers from whom nothing is hidden:
 * what they do not see would be put back, or taken away, too.
 */
export async function rollBack(
  { store, histories }: PastDeps,
  past: PastMenus,
  access: Access,
  { name, ts }: Asked,
  { ifMatch, asked }: WriteOptions,
): Promise<RolledBackMenu> {
  if (!(await seesWhole(store, access))) {
    throw new Forbidden('To roll a menu back needs the right content:drafts for all types: it may lead to any record.')
  }
  const history = await past.history(access, name)
  const revision = mustFindRevision(history.all, 'ts', ts)
  const { key, document: now } = history
  mustMatch(ifMatch, now?.version, 'The menu has changed since you read it.')
  const then = await histories.document(history, revision)
  if (!then?.source) throw new Conflict('The menu was removed in this revision, so there is nothing to go back to.')
  for (const { problem } of now ? [then, now] : [then]) if (problem?.severity === 'error') throw unreadable(access, problem, KIND)
  const to = revisionText(revision)
  if (now?.version === then.version) return { document: now, to, changed: false }
  const [newest] = history.all
  const last = now && newest && (await histories.document(history, newest))
  if (last && isOtherForm(last, then))
    throw new Conflict(`The menu was in the file ${then.file} then; its bytes do not fit into ${last.file}.`)
  const put = { source: then.source, ...(then.file !== undefined && { file: then.file }) }
  const note = noteOf(now ? 'rolled_back' : 'restored', key, asked, ` to ${revision.at}`)
  const [document] = await store.write([{ key, put, expects: now?.version ?? 'absent' }], access.author, note)
  if (!document) throw new Error('The store gave no document back for a rollback.')
  return { document, to, changed: document.version !== now?.version }
}
