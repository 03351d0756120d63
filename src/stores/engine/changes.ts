import { actionOf, actionOfAll, oneLine, plainAuthor } from '#core/commit-trailers.ts'
import type { Author, Version } from '#core/document.ts'
import { isPrivate, type Key, keyText } from '#core/key.ts'
import type { Note } from '#core/revision.ts'
import type { Changed } from '#core/store.ts'

/** The effect of a batch on one document: without a version it was removed. */
export interface Outcome {
  readonly key: Key
  readonly existed: boolean
  readonly version: Version | undefined
}

/** A batch that was worked out. `from` is the key that it moves a document from. */
export interface Worked {
  readonly outcomes: readonly Outcome[]
  readonly by: Author
  readonly note: Note
  readonly from: Key | undefined
}

/** Returns the changes that a batch makes, as the feed tells of them: with the actions that they have in the history. */
export function changesOf({ outcomes, by, note, from }: Worked): Changed[] {
  const told = outcomes.filter(({ key }) => !isPrivate(key.kind))
  const effects = told.map(({ key, existed, version }) => ({ key, existed, remains: version !== undefined }))
  const said = { number: undefined, action: note.action ?? actionOfAll(effects, from), from: from && keyText(from) }
  const author = plainAuthor(by)
  return told.map(({ key, existed, version }) => {
    const action = actionOf(said, { isNew: !existed, isGone: version === undefined, owner: keyText(key) })
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
