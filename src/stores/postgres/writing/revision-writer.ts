import type { KnownDates } from '#core/dates.ts'
import type { Author } from '#core/document.ts'
import { detailText } from '#core/feed/changed-state.ts'
import type { Note } from '#core/history/revision.ts'
import { actionOf, actionOfAll, oneLine, plainAuthor, plainMessage, sentenceOf } from '#core/history/revision-message.ts'
import { isPrivate, type Key, keyText } from '#core/key.ts'
import { changesOf } from '#stores/engine/changes.ts'
import type { Outcome } from '#stores/engine/drafts.ts'
import type { Histories } from './batch-context.ts'
import type { Made, Written } from './landing.ts'

/**
 * Writes down what batches do, as their records' histories keep it: with numbers that no revision of a record has twice, and
 * times.
 */
export class RevisionWriter {
  readonly #lasts: Map<string, number>
  readonly #dates: Map<string, KnownDates>

  constructor({ lasts, dates }: Histories) {
    this.#lasts = new Map(lasts)
    this.#dates = new Map(dates)
  }

  /**
   * Returns the entry of a planned batch in the history; `now` is in milliseconds since 1970. Undefined if no history is kept of
   * it, or it changes nothing.
   */
  written(outcomes: readonly Outcome[], by: Author, note: Note, now: number): Written | undefined {
    const told = outcomes.filter(({ key }) => !isPrivate(key.kind))
    if (told.length === 0) return undefined
    const number = this.#next(told, now)
    const at = new Date(number).toISOString()
    for (const outcome of told) this.#date(outcome, at)
    const moved = told.find(({ from }) => from)?.from
    const effects = told.map(({ key, before, after }) => ({ key, existed: before !== undefined, remains: after !== undefined }))
    const action = note.action ?? actionOfAll(effects, moved)
    const said = { number, action, actions: note.actions, from: moved && keyText(moved) }
    const details = changesOf({ outcomes: told, by, note, from: moved }).map(detailText)
    return {
      at: number,
      by: plainAuthor(by),
      message: plainMessage(note.message ?? sentenceOf(action, effects)),
      number,
      action,
      ...(note.request !== undefined && { request: oneLine(note.request) }),
      ...(said.from !== undefined && { movedFrom: said.from }),
      ...(note.once !== undefined && { once: note.once }),
      made: told.map((outcome, nth) => ({ ...madeOf(outcome, number, at, said), detail: details[nth] ?? '' })),
    }
  }

  /** Returns the dates that a document has by its history, with the batches so far. */
  datesOf(key: Key): KnownDates {
    return this.#dates.get(keyText(key)) ?? {}
  }

  #date({ key, after, from }: Outcome, at: string): void {
    if (!after) return
    const before = this.#dates.get(keyText(from ?? key))
    const createdAt = before ? before.createdAt : at
    this.#dates.set(keyText(key), { ...(createdAt !== undefined && { createdAt }), updatedAt: at })
  }

  #next(told: readonly Outcome[], now: number): number {
    const texts = told.flatMap(({ key, from }) => (from ? [keyText(key), keyText(from)] : [keyText(key)]))
    const number = Math.max(Math.floor(now), ...texts.map((text) => (this.#lasts.get(text) ?? 0) + 1))
    for (const text of texts) this.#lasts.set(text, number)
    return number
  }
}

function madeOf({ key, before, after, from }: Outcome, number: number, at: string, said: Parameters<typeof actionOf>[0]): Made {
  const effect = { isNew: before === undefined, isGone: after === undefined, owner: keyText(key) }
  return {
    key,
    number,
    at,
    action: actionOf(said, effect),
    file: after?.file ?? before?.file ?? '',
    ...(after && { bytes: after.bytes, version: after.head.version }),
    ...(from && { movedFrom: keyText(from) }),
  }
}
