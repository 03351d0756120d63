import type { Version } from '#core/document.ts'
import type { Field } from '#core/types/content-type.ts'
import { labelOf } from '#core/types/fields.ts'
import type { TextPart } from '#frontmatter/merge.ts'
import { wordDiff } from '#lib/text/word-diff.ts'
import type { Resource, Row } from '../../resource.ts'
import type { Meeting, Place } from '../comparing/meeting.ts'
import { ownTextOf } from '../comparing/own-text.ts'
import { shownValue } from '../comparing/shown-value.ts'
import { urlOf } from './list-view.ts'

/** The side of a place that was picked, and the text that stands in its own field. */
export interface Picked {
  readonly side: string
  readonly own: string | undefined
}

/** The content of the page on which two edits are settled. */
export interface ConflictShown {
  readonly resource: Resource
  /** It as it is now. */
  readonly row: Row
  readonly meeting: Meeting
  readonly fields: readonly Field[]
  readonly zone: string
  /** The version that the edit began from. */
  readonly from: Version
  /** All that was sent. */
  readonly sent: readonly { readonly name: string; readonly value: string }[]
  readonly pickedAt: (place: Place) => Picked
  readonly errors: readonly string[]
  /** The name of who made the other edit, and its time in words; undefined where no revisions are kept. */
  readonly other: { readonly name: string; readonly at: string } | undefined
}

/** Returns what the template `conflict` shows. */
export function conflictView(shown: ConflictShown): object {
  const { resource, row, meeting, from, sent, errors, other } = shown
  const url = urlOf(resource)
  const here = `${url}/${encodeURIComponent(row.id)}`
  const places = placesOf(shown)
  const { length } = places
  const isKnown = meeting.places.every(({ before }) => before !== undefined)
  return {
    crumbs: [{ label: resource.label, url }, { label: row.title, url: `${here}/edit` }, { label: 'Settle two edits' }],
    heading: length === 1 ? 'Two edits meet in one place' : `Two edits meet in ${NUMBERS[length] ?? length} places`,
    note: `${other ? `${other.name} saved this ${resource.singular}, ${other.at},` : `This ${resource.singular} was saved by somebody else`} while you wrote. Nothing of either is lost: pick a side for each place, or write a third. ${
      isKnown
        ? 'Everything else is merged already.'
        : 'The version you began from is not known any more, so all that differs is here.'
    }`,
    form: {
      action: here,
      method: 'PUT',
      base: row.version ?? '',
      hidden: [...sent.filter(({ name }) => !OWN.test(name)), { name: '_from', value: from }],
    },
    places,
    count: { settled: places.filter(({ chosen }) => chosen !== '').length, all: length },
    also: alsoOf(meeting, shown.fields),
    back: { label: 'Back to my text', name: '_back', value: 'form' },
    save_label: 'Save the settled version',
    errors: errors.map((text) => ({ id: '', text })),
    errors_title: 'Not saved yet.',
  }
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** Fields of the page that it makes anew. */
const OWN = /^(?:_method|_csrf|_from|_back|base|_settle\[.*|_own\[.*)$/

/** Returns the name of the field in which a place is answered: `_settle[title]`, `_own[body][2]`. */
export function placeName(kind: '_settle' | '_own', { name, part }: Place): string {
  return part === undefined ? `${kind}[${name}]` : `${kind}[${name}][${part}]`
}

function placesOf(shown: ConflictShown) {
  const { meeting, fields, zone, pickedAt, other: by } = shown
  const paragraphs = paragraphsOf(meeting.parts ?? [])
  return meeting.places.map((place) => {
    const { name, part, before, yours, theirs } = place
    const field = fields.find((one) => one.name === name)
    const told = (value: Place['before']) =>
      part === undefined ? shownValue(name, field, value, zone) : ({ text: String(value ?? ''), look: 'short' } as const)
    const [was, mine, other] = [told(before), told(yours), told(theirs)]
    const own = part === undefined ? field && ownTextOf(field, yours, zone) : String(yours)
    const picked = pickedAt(place)
    const chosen = picked.side === 'own' && own === undefined ? '' : picked.side
    const isKnown = before !== undefined
    return {
      id: part === undefined ? `place-${name}` : `place-${name}-${part}`,
      label: part === undefined ? (field?.label ?? labelOf(name)) : (paragraphs[part]?.label ?? 'Body'),
      name: placeName('_settle', place),
      ...(own !== undefined && { own_name: placeName('_own', place), own: picked.own ?? own }),
      chosen,
      look: [was, mine, other].some(({ look }) => look === 'raw') ? 'raw' : mine.look,
      ...(isKnown && { before: { label: 'Before', text: was.text === '' ? '(empty)' : was.text } }),
      mine: {
        label: 'Yours',
        words: wordDiff(isKnown ? was.text : other.text, mine.text),
        note: mine.text === '' ? 'You left nothing here.' : '',
      },
      theirs: {
        label: by ? `${by.name}’s` : 'Theirs',
        words: isKnown ? wordDiff(was.text, other.text) : [{ kind: 'same', text: other.text }],
        note: other.text === '' ? 'They left nothing here.' : '',
      },
      ...(part !== undefined && foldBefore(meeting.parts ?? [], part, paragraphs)),
    }
  })
}

interface Numbered {
  readonly label: string
  readonly first: number
  readonly last: number
}

/** Numbers the parts of a body by its paragraphs. */
function paragraphsOf(parts: readonly TextPart[]): Numbered[] {
  let next = 1
  const numbered = parts.map((part) => {
    const text = 'merged' in part ? part.merged : [part.before, part.theirs, part.yours].find((one) => one.trim() !== '')
    const count = (text ?? '').split(/\n[ \t]*\r?\n/).filter((one) => one.trim() !== '').length
    const first = next
    next += count
    return { first, last: Math.max(first, next - 1) }
  })
  const all = Math.max(1, next - 1)
  return numbered.map(({ first, last }) => ({
    first,
    last,
    label: `Body, ${first < last ? `paragraphs ${first} to ${last}` : `paragraph ${Math.min(first, all)}`} of ${all}`,
  }))
}

function foldBefore(parts: readonly TextPart[], n: number, paragraphs: readonly Numbered[]) {
  const [part, numbers] = [parts[n - 1], paragraphs[n - 1]]
  if (!part || !numbers || !('merged' in part) || part.merged.trim() === '') return {}
  const { first, last } = numbers
  const fold = first < last ? `Paragraphs ${first} to ${last} are` : `Paragraph ${first} is`
  return { fold: `${fold} the same or merged`, folded: part.merged.trim() }
}

/** Tells what both changed without meeting. */
function alsoOf({ apart }: Meeting, fields: readonly Field[]): string {
  const told = (names: readonly string[]) =>
    names.map((name) => (fields.find((one) => one.name === name)?.label ?? labelOf(name)).toLowerCase()).join(', ')
  const parts = [
    ...(apart.yours.length > 0 ? [`your ${told(apart.yours)}`] : []),
    ...(apart.theirs.length > 0 ? [`their ${told(apart.theirs)}`] : []),
  ]
  return parts.length === 0 ? '' : `Also kept: ${parts.join('; ')}.`
}
