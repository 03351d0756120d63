import { lastSegment } from '#core/key.ts'
import { kindOfType, MEDIA_KINDS } from '#core/media/media.ts'
import { folded } from '#core/queries/comparison.ts'
import { type Paging, pagingIn } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import { isLonger } from '#lib/text/characters.ts'
import { compareText } from '#lib/text/compare.ts'
import { composed } from '#lib/text/normal-form.ts'
import type { Entry } from './library.ts'
import { numberIn, textIn } from './sidecar.ts'
import { folderOf, typeOf } from './view.ts'

/** The options of the list of media, checked. */
export interface MediaQuery {
  readonly paging: Paging
  /** True if only what nothing uses is in the list. */
  readonly isUnused: boolean
  /** Returns whether an entry is asked for, apart from its uses. */
  isAsked(entry: Entry): boolean
  compare(a: Entry, b: Entry): number
}

type Value = string | number | undefined

const SORTS = {
  created_at: ({ head }: Entry): Value => head?.createdAt,
  updated_at: ({ head }: Entry): Value => head?.updatedAt,
  filename: ({ key }: Entry): Value => lastSegment(key.id),
  size: ({ head, file }: Entry): Value => file?.size ?? numberIn(head?.fields ?? {}, 'size') ?? undefined,
}

const MOST_Q = 256

/** Reads the parameters of the list; throws InvalidInput. */
export function readMediaQuery(params: QueryParams): MediaQuery {
  const errors: FieldErrors = {}
  const paging = pagingIn(params, errors)
  const { unused } = params
  if (unused !== undefined && unused !== 'true') errors.unused = ['The unused must be true, or be left out.']
  const isOfType = ofType(params.type, errors)
  const isFound = byWords(params.q, errors)
  const isIn = inFolder(params.folder)
  const isUndescribed = withoutAlt(params.alt, errors)
  const compare = orderOf(params.sort ?? '-created_at', errors)
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return {
    ...{ paging, compare, isUnused: unused === 'true' },
    isAsked: (entry) => isIn(entry) && isOfType(entry) && isUndescribed(entry) && isFound(entry),
  }
}

/** Returns the bytes of a media file; 0 where nothing says how many. */
export function sizeOf({ head, file }: Entry): number {
  return file?.size ?? numberIn(head?.fields ?? {}, 'size') ?? 0
}

/** Returns whether a media file is a picture of which nothing says what it shows. */
export function isWithoutAlt({ key, head }: Entry): boolean {
  return kindOfType(typeOf(key.id, head?.fields)) === 'image' && textIn(head?.fields ?? {}, 'alt') === null
}

function withoutAlt(alt: string | undefined, errors: FieldErrors): (entry: Entry) => boolean {
  if (alt === undefined) return () => true
  if (alt !== 'none') errors.alt = ['The alt must be none, or be left out.']
  return isWithoutAlt
}

function ofType(type: string | undefined, errors: FieldErrors): (entry: Entry) => boolean {
  if (type === undefined) return () => true
  if (!MEDIA_KINDS.some((kind) => kind === type)) errors.type = [`The type must be one of ${MEDIA_KINDS.join(', ')}.`]
  return ({ key, head }) => kindOfType(typeOf(key.id, head?.fields)) === type
}

function byWords(q: string | undefined, errors: FieldErrors): (entry: Entry) => boolean {
  if (q === undefined) return () => true
  if (q.trim() === '' || isLonger(q, MOST_Q)) errors.q = [`The q must have 1 to ${MOST_Q} characters.`]
  const wanted = folded(q.trim())
  return ({ key, head }) => {
    const fields = head?.fields ?? {}
    const texts = [lastSegment(key.id), textIn(fields, 'alt'), textIn(fields, 'title'), textIn(fields, 'caption')]
    return texts.some((text) => text !== null && folded(text).includes(wanted))
  }
}

function inFolder(folder: string | undefined): (entry: Entry) => boolean {
  if (folder === undefined || folder === '*') return () => true
  const name = composed(folder.replace(/\/\*$/, ''))
  if (!folder.endsWith('/*')) return ({ key }) => folderOf(key.id) === name
  return ({ key }) => `${folderOf(key.id)}/`.startsWith(`${name}/`)
}

/** Returns the order of a sort: unknown values come last both ways, and equals by id. */
function orderOf(sort: string, errors: FieldErrors): (a: Entry, b: Entry) => number {
  const name = sort.replace(/^-/, '')
  const sign = sort.startsWith('-') ? -1 : 1
  const valueIn = Object.hasOwn(SORTS, name) ? SORTS[name as keyof typeof SORTS] : undefined
  if (!valueIn) errors.sort = [`The sort must be one of ${Object.keys(SORTS).join(', ')}, with "-" before it to turn it round.`]
  return (a, b) => {
    const [one, other] = [valueIn?.(a), valueIn?.(b)]
    const isKnown = one !== undefined && other !== undefined
    if (!isKnown && one !== other) return one === undefined ? 1 : -1
    const order = isKnown ? compareValues(one, other) : 0
    return order * sign || compareText(a.key.id, b.key.id)
  }
}

function compareValues(one: string | number, other: string | number): number {
  return typeof one === 'number' && typeof other === 'number' ? one - other : compareText(String(one), String(other))
}
