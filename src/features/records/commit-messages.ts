import type { ContentType } from '#core/content-type.ts'
import { type Key, keyText } from '#core/key.ts'
import { type Action, type Asked, type Note, VERBS } from '#core/revision.ts'
import type { Fields } from '#lib/json.ts'
import { isLiveStatus, statusOf } from './stored-status.ts'

/** The longest first line of a message that git's own tools show whole. */
const MOST_LETTERS = 72

/** Returns the note of a write of a record: `Publish posts/hello`, followed by `rest`, on one line of at most 72 characters. */
export function noteOf(action: Action, key: Key, asked: Asked = {}, rest = ''): Note {
  const line = [...`${VERBS[action]} ${keyText(key)}${rest}`]
  const message = line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS - 1).join('')}…` : line.join('')
  return { action, message, ...asked }
}

/** Returns the action that a change of an existing record is named by, depending on whether it enters or leaves a live status. */
export function actionOfChange(type: ContentType, before: Readonly<Fields>, set: Fields): Action {
  const wasLive = isLiveStatus(type, statusOf(type, before))
  const isLive = isLiveStatus(type, statusOf(type, { ...before, ...set }))
  if (wasLive === isLive) return 'updated'
  return isLive ? 'published' : 'unpublished'
}
