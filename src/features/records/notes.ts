import type { ContentType } from '#core/content-type.ts'
import { type Key, keyText } from '#core/key.ts'
import { type Action, type Asked, type Note, VERBS } from '#core/revision.ts'
import type { Fields } from '#lib/json.ts'
import { isLiveStatus, statusOf } from './stored-status.ts'

/** The longest first line of a message that git's own tools show whole. */
const MOST_LETTERS = 72

/** What a write of a record says of itself: `Publish posts/hello`, and `rest` after it, on one line of at most 72 characters. */
export function noteOf(action: Action, key: Key, asked: Asked = {}, rest = ''): Note {
  const line = [...`${VERBS[action]} ${keyText(key)}${rest}`]
  const message = line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS - 1).join('')}…` : line.join('')
  return { action, message, ...asked }
}

/** What a change of an existing record is called: by whether it brings it into a live status, or out of one. */
export function actionOf(type: ContentType, before: Readonly<Fields>, set: Fields): Action {
  const wasLive = isLiveStatus(type, statusOf(type, before))
  const isLive = isLiveStatus(type, statusOf(type, { ...before, ...set }))
  if (wasLive === isLive) return 'updated'
  return isLive ? 'published' : 'unpublished'
}
