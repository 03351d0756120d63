import type { Author, Head } from '#core/document.ts'
import { changedFields, stateOf } from '#core/feed/changed-state.ts'
import { formOf } from '#core/files/layout.ts'
import type { Note } from '#core/history/revision.ts'
import { actionOf, actionOfAll, oneLine, plainAuthor } from '#core/history/revision-message.ts'
import { isPrivate, type Key, type Kind, keyText } from '#core/key.ts'
import type { Changed, ChangedState } from '#core/store.ts'
import { isData, split } from '#frontmatter/split.ts'

/** The effect of a batch on one document: it was not there before, or is not after, where that is undefined. */
interface Effect {
  readonly key: Key
  readonly before: Side | undefined
  readonly after: Side | undefined
}

/** A document before a batch, or after it: its file, and what that holds. */
interface Side {
  readonly head: Head
  readonly bytes: Buffer
  readonly file: string
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
  const origin = from && outcomes.find(({ key }) => keyText(key) === keyText(from))?.before
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
      ...statesOf(key, before ?? (action === 'moved' ? origin : undefined), after),
      source: note.source ?? 'cli',
    }
  })
}

/** Returns what a document was, what it is, and what of it differs. */
function statesOf({ kind }: Key, before: Side | undefined, after: Side | undefined): Pick<Changed, 'was' | 'is' | 'changed'> {
  return {
    ...(before && { was: stateOf(before.head) }),
    ...(after && { is: stateOf(after.head) }),
    ...(before && after && { changed: differing(kind, before, after) }),
  }
}

function differing(kind: Kind, before: Side, after: Side): string[] {
  const fields = changedFields(before.head.fields, after.head.fields)
  return bodyOf(kind, before).equals(bodyOf(kind, after)) ? fields : [...fields, 'body']
}

/** The bytes of a body as they are in the file. One that is YAML as a whole, or can't be read, counts as without one. */
function bodyOf(kind: Kind, { head, bytes, file }: Side): Buffer {
  const form = formOf(kind, file)
  return isData(form) || head.problem?.severity === 'error' ? Buffer.alloc(0) : bytes.subarray(split(bytes, form).bodyStart)
}

/**
 * Returns the change that was found in a document, and that no write of this store made. Without a head it is gone; one that can't
 * be read at all has an empty version. `was` is what it was before, as far as that is known.
 */
export function externalChange(key: Key, head: Head | undefined, was: Head | ChangedState | undefined): Changed {
  const version = head?.version
  const before = was && ('fields' in was ? stateOf(was) : was)
  const changed = head && was && 'fields' in was ? changedFields(was.fields, head.fields) : undefined
  return {
    key,
    removed: head === undefined,
    action: 'external',
    ...(version && { version }),
    ...(before && { was: before }),
    ...(head && { is: stateOf(head) }),
    ...(changed && { changed: changed.length > 0 ? changed : ['body'] }),
  }
}
