import type { QueryParams } from '#http/requests/query.ts'
import type { ListFilter } from '../../offered.ts'
import { localText } from '../forms/times.ts'
import { comingOf, dayText, type Telling } from '../rendering/moments.ts'
import { addressWith } from '../resources/list-address.ts'
import { conditionsOf, labelOfParameter, wordOf } from './conditions.ts'

/** A part of a list's address that narrows it: "Tag is", "tides"; `url` is the list without it. */
export interface Chip {
  readonly label: string
  readonly value: string
  readonly url: string
}

/** The list that chips are of. `hidden` are the parameters that something else on the page shows already. */
export interface ChipsOf {
  readonly url: string
  readonly filters: readonly ListFilter[]
  readonly telling: Telling
  readonly hidden: ReadonlySet<string>
}

/** Returns the filters of a list's address. */
export function chipsOf(params: QueryParams, { url, filters, telling, hidden }: ChipsOf): Chip[] {
  return conditionsOf(params, filters)
    .filter(({ parameter }) => !hidden.has(parameter))
    .map(({ parameter, filter, operator, value }) => {
      const label = filter?.label ?? labelOfParameter(parameter)
      const kind = filter?.kind ?? 'text'
      const without = addressWith(url, { ...params, [parameter]: '', page: '', done: '' })
      if (operator === 'set' || operator === 'unset') return { label, value: wordOf(operator, kind), url: without }
      const isOne = kind === 'terms' && !value.includes(',')
      return { label: `${label} ${isOne ? 'is' : wordOf(operator, kind)}`, value: shown(value, filter, telling), url: without }
    })
}

const YES: ReadonlyMap<string, string> = new Map([
  ['true', 'Yes'],
  ['false', 'No'],
  ['null', 'not set'],
])

function shown(value: string, filter: ListFilter | undefined, telling: Telling): string {
  switch (filter?.kind) {
    case 'yes':
      return YES.get(value) ?? value
    case 'choice':
      return value
        .split(',')
        .map((one) => filter.options?.find((option) => option.value === one)?.label ?? one)
        .join(', ')
    case 'day':
      return dayText(value, telling) ?? value
    case 'time':
      return timeShown(value, telling)
    default:
      return value.replaceAll(/,(?=\S)/g, ', ')
  }
}

/** The beginning of a day is told as the day. */
function timeShown(value: string, telling: Telling): string {
  const at = Date.parse(value)
  if (Number.isNaN(at)) return value
  const [day = '', clock] = localText(new Date(at).toISOString(), telling.timezone).split('T')
  return (clock === '00:00' ? dayText(day, telling) : comingOf(new Date(at).toISOString(), telling)?.short) ?? value
}
