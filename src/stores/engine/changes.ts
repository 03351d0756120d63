import type { Author, Head, Version } from '#core/document.ts'
import type { Note } from '#core/history/revision.ts'
import { actionOf, actionOfAll, oneLine, plainAuthor } from '#core/history/revision-message.ts'
import { isPrivate, type Key, keyText } from '#core/key.ts'
import type { Changed } from '#core/store.ts'

/** The effect of a batch on one document: it was not there before, or is not after, where that is undefined. */
interface Effect {
  readonly key: Key
  readonly before: unknown
  readonly after: { readonly head: Pick<Head, 'version'> } | undefined
}

/** A batch that was worked out. `from` is the key that it moves a document from. */
export interface Worked {
  readonly outcomes: readonly Effect[]
  readonly by: Author
  readonly note: Note
  readonly from: Key | undefined
}

/** Returns the changes that a batch makes, as the feed tells of them: with the actions that they have in the history. */
export function changesOf({ outcomes, by, note, from }: Worked): Changed[] {
  const told = outcomes.filter(({ key }) => !isPrivate(key.kind))
  const effects = told.map(({ key, before, after }) => ({ key, existed: before !== undefined, remains: after !== undefined }))
  const action = note.action ?? actionOfAll(effects, from)
  const said = { number: undefined, action, actions: note.actions, from: from && keyText(from) }
  const author = plainAuthor(by)
  return told.map(({ key, before, after }) => {
    const version = after?.head.version
    const action = actionOf(said, { isNew: !before, isGone: !after, owner: keyText(key) })
    return {
      key,
      removed: version === undefined,
      action,
      ...(version !== undefined && { version }),
      by: author,
      ...(note.request !== undefined && { request: oneLine(note.request) }),
      ...(from && action === 'moved' && version !== undefined && { from }),
    }
  })
}

/**
 * Returns the change that was found in a document, and that no write of this store made. Without a version it is gone; one that
 * can't be read at all has an empty version.
 */
export function externalChange(key: Key, version: Version | undefined): Changed {
  return { key, removed: version === undefined, action: 'external', ...(version && { version }) }
}
