import type { Author } from '../document.ts'
import { type Key, keyText } from '../key.ts'
import { type Action, VERBS } from './revision.ts'

/** The metadata that a write stores with itself. Empty for changes that Quire did not make. */
export interface CommitTrailers {
  readonly number: number | undefined
  readonly action: Action | undefined
  /** See `Note.actions`. */
  readonly actions?: ReadonlyMap<string, Action> | undefined
  /** The text of the key that a record was moved from. */
  readonly from: string | undefined
}

/** The effect of a commit on one record, regardless of its metadata. */
export interface CommitEffect {
  /** True if the record did not exist before. Undefined if that can't be known (the oldest commit of a shallow clone). */
  readonly isNew: boolean | undefined
  readonly isGone: boolean
  /** The text of the record's key at that time: `posts/a`. */
  readonly owner: string
}

/** The actions that a commit can have for a record that it made, or changed; the others show in what it did. */
const FITS: Readonly<Record<Action, readonly ('new' | 'changed')[]>> = {
  created: ['new'],
  updated: ['changed'],
  published: ['new', 'changed'],
  unpublished: ['changed'],
  moved: [],
  deleted: [],
  rolled_back: ['new', 'changed'],
  restored: ['new', 'changed'],
  external: ['new', 'changed'],
}

/**
 * Returns the action of a revision: that of its commit, or the one that this names for the record, if it fits the record (a
 * commit may cover several), else the actual effect of the commit on the record.
 */
export function actionOf(trailers: CommitTrailers, effect: CommitEffect): Action {
  const { number, from, actions } = trailers
  const action = actions?.get(effect.owner) ?? trailers.action
  if (action === undefined && number === undefined) return 'external'
  const plain = plainAction(from, effect)
  if (action === undefined || action === plain) return plain
  if (effect.isGone) return action === 'external' ? action : plain
  if (effect.isNew === undefined) return action === 'deleted' ? plain : action
  return FITS[action].includes(effect.isNew ? 'new' : 'changed') ? action : plain
}

function plainAction(from: string | undefined, { isNew, isGone, owner }: CommitEffect): Action {
  if (isGone) return from === owner ? 'moved' : 'deleted'
  if (isNew) return from === undefined || from === owner ? 'created' : 'moved'
  return 'updated'
}

/** The effect of a write on one document: whether it existed before, and whether it exists after. */
export interface Effect {
  readonly key: Key
  readonly existed: boolean
  readonly remains: boolean
}

/** Returns the action of a write as a whole, for writes that do not specify one. */
export function actionOfAll(effects: readonly Effect[], from: Key | undefined): Action {
  if (from) return 'moved'
  if (effects.every(({ remains }) => !remains)) return 'deleted'
  return effects.every(({ existed }) => !existed) ? 'created' : 'updated'
}

/** A sentence for a write that brings none: `Update posts/hello`, `Delete 3 records`. */
export function sentenceOf(action: Action, effects: readonly Effect[]): string {
  const [first] = effects.filter(({ remains }) => remains || action === 'deleted')
  const what = effects.length === 1 || action === 'moved' ? (first ? keyText(first.key) : '') : `${effects.length} records`
  return `${VERBS[action]} ${what}`
}

const TRAILER_LINE = /^Cms-[A-Za-z]+: .*\n?/gm

/** A message as it is kept: a person's text must not forge the lines that Quire adds to a commit. */
export function plainMessage(text: string): string {
  return text.replaceAll('\0', '').replaceAll(TRAILER_LINE, '').trim()
}

/** Text on one line, without control characters. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not get into a line
  return text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim()
}

/** An author as a history keeps one: what would end a name or an address is taken out. */
export function plainAuthor({ name, email }: Author): Author {
  const clean = (text: string) => oneLine(text.replaceAll(/[<>]/g, ''))
  return { name: clean(name) || 'unknown', email: clean(email).replaceAll(' ', '') }
}
