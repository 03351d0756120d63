import { type Action, type Asked, type Note, VERBS } from '#core/history/revision.ts'
import { type Key, keyText } from '#core/key.ts'
import type { ContentType } from '#core/types/content-type.ts'
import type { Fields } from '#lib/json.ts'
import { isLiveStatus, statusOf } from './stored-status.ts'

/** The longest first line of a message that git's own tools show whole. */
const MOST_LETTERS = 72

/** Returns the note of a write of a record: `Publish posts/hello`, followed by `rest`, on one line of at most 72 characters. */
export function noteOf(action: Action, key: Key, asked: Asked = {}, rest = ''): Note {
  return { action, message: lineOf(`${VERBS[action]} ${keyText(key)}${rest}`), ...asked }
}

function lineOf(text: string): string {
  const line = [...text]
  return line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS - 1).join('')}…` : text
}

/** A record that is written, and the action that its history names that by. */
interface Act {
  readonly key: Key
  readonly action: Action
}

/** Returns the note of one write of records of a type: `Publish 3 records of posts`; of a single one, as `noteOf`. */
export function noteOfAll(acts: readonly Act[], asked: Asked = {}): Note {
  const [first, ...rest] = acts
  if (!first || rest.length === 0) return first ? noteOf(first.action, first.key, asked) : asked
  const isOne = rest.every(({ action }) => action === first.action)
  // What follows them, such as a link in another record, is updated.
  const action = isOne ? first.action : 'updated'
  const others = acts.filter((one) => one.action !== action)
  const actions = new Map(others.map((one) => [keyText(one.key), one.action]))
  const message = lineOf(`${VERBS[action]} ${acts.length} records of ${first.key.kind}`)
  return { action, message, ...(actions.size > 0 && { actions }), ...asked }
}

/** Returns the action that a change of an existing record is named by, depending on whether it enters or leaves a live status. */
export function actionOfChange(type: ContentType, before: Readonly<Fields>, set: Fields): Action {
  const wasLive = isLiveStatus(type, statusOf(type, before))
  const isLive = isLiveStatus(type, statusOf(type, { ...before, ...set }))
  if (wasLive === isLive) return 'updated'
  return isLive ? 'published' : 'unpublished'
}
