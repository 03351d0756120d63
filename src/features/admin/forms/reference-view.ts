import { MEDIA_KINDS } from '#core/media/media.ts'
import type { Field } from '#core/types/content-type.ts'
import type { Offered } from '../../offered.ts'
import type { FieldOption, FieldView } from './field-view.ts'

/** Things that a reference may lead to, as its form has them. */
export interface Referred {
  /** Some of them by title, those that the record refers to first where they are not all. */
  readonly offered: readonly Offered[]
  /** True where they are all that the reader may see. */
  readonly isWhole: boolean
  /** The address that answers scripts with others, by words of a title. */
  readonly search: string
  /** The page that makes one, where the reader may. */
  readonly create?: { readonly label: string; readonly url: string }
}

/** The words that a form has of media. */
export interface MediaWords {
  /** The page of all, which answers scripts with some to choose from. */
  readonly url: string
  readonly mayUpload: boolean
  /** Returns the address of a small picture of the file at a path; undefined of what is none. */
  pictureOf(path: string): string | undefined
}

/** The words that a form has of its references. */
export interface ReferenceWords {
  /** Undefined where the reader sees no media. */
  readonly media?: MediaWords | undefined
  /** Returns the things that a reference may lead to. */
  referredBy(field: Field): Referred | undefined
  /** Returns the words for no value: what a field is where nothing is chosen. */
  blankOf(field: Field): string | undefined
}

/** The way to choose one of many. */
const SEARCHED = 'Type a part of its title and choose one of those that are suggested, or type its id.'

/** Most things that a message names. */
const MOST_NAMED = 10

/** All things that a reference may lead to; a value that is none of them stands before them. */
export function chosenOf(offered: readonly Offered[], value: string): FieldOption[] {
  const options = offered.map((one) => ({ value: one.value, label: one.label, isSelected: one.value === value }))
  const isKnown = value === '' || options.some(({ isSelected }) => isSelected)
  return isKnown ? options : [{ value, label: value, isSelected: true }, ...options]
}

/** The ways to choose a file, those of one kind where the field takes no other, and to upload one. */
export function mediaView({ accept = [] }: Field, value: string, media: MediaWords | undefined): Partial<FieldView> {
  const accepted = accept.length > 0 ? { accept: accept.join(',') } : {}
  if (!media) return accepted
  const [kind, ...others] = accept
  const isOneKind = others.length === 0 && MEDIA_KINDS.some((one) => one === kind)
  const { url, mayUpload } = media
  const asked = isOneKind ? `${url}?type=${kind}` : url
  return { ...accepted, media: { url: asked, mayUpload, picture: value === '' ? undefined : media.pictureOf(value) } }
}

/** The ways to find what a reference may lead to, and to make it. */
export function referralOf(referred: Referred | undefined): Partial<FieldView> {
  if (!referred) return {}
  const { offered, isWhole, search, create } = referred
  return { search, offered, ...(create && { create }), there: isWhole ? thereAre(offered) : SEARCHED }
}

/** Says what there is to be chosen. */
function thereAre(offered: readonly Offered[]): string {
  const named = offered.slice(0, MOST_NAMED).map(({ value, label }) => (label === value ? value : `${label} (${value})`))
  if (named.length === 0) return 'There is none yet.'
  const rest = offered.length > MOST_NAMED ? ` and ${offered.length - MOST_NAMED} more` : ''
  return `${offered.length === 1 ? 'There is' : 'There are'} ${named.join(', ')}${rest}.`
}
