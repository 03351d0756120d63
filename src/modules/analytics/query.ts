import { type FieldErrors, ModuleError } from '#module/module.ts'
import { daysBetween, daysLater, isDay } from './days.ts'

/** Days that are answered where nothing is said, and at most. */
const DAYS = 30
const MOST_DAYS = 3660

/** A span of days, both ends in it; `path` is the one page that is asked about. */
export interface Span {
  readonly from: string
  readonly to: string
  readonly path: string | undefined
}

/** The parameters of a query about visits, for the API's description. */
export const SPAN_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    days: { type: 'string', description: `Days up to today, 1 to ${MOST_DAYS}; ${DAYS} by default.` },
    from: { type: 'string', description: 'The first day (2026-11-01), in the time zone of the site.' },
    to: { type: 'string', description: 'The last day; today by default.' },
    path: { type: 'string', description: 'The path of a page, for its figures alone.' },
  },
} as const

type Asked = { readonly [K in keyof (typeof SPAN_QUERY)['properties']]?: string | undefined }

/** Returns the span that a query asks for. Throws a ModuleError with status 422 for a value that is none. */
export function spanOf(query: Asked, today: string): Span {
  const errors = faultsOf(query)
  if (Object.keys(errors).length > 0) throw new ModuleError(422, 'The query is not valid.', errors)
  const { days = String(DAYS), path } = query
  const to = query.to ?? today
  const from = query.from ?? daysLater(to, 1 - Number(days))
  const length = daysBetween(from, to)
  if (length < 1) throw fault('from', `The from must not be after ${to}.`)
  if (length > MOST_DAYS) throw fault('from', `The from must be at most ${MOST_DAYS} days before ${to}.`)
  return { from, to, path }
}

function faultsOf({ days, from, to, path }: Asked): FieldErrors {
  const isCount = days === undefined || (/^[1-9]\d{0,3}$/.test(days) && Number(days) <= MOST_DAYS)
  const isApart = days === undefined || (from === undefined && to === undefined)
  const wrong = {
    days: isCount ? !isApart && 'The days must be left out where from or to is given.' : DAYS_FAULT,
    from: from !== undefined && !isDay(from) && 'The from must be a day, such as 2026-11-01.',
    to: to !== undefined && !isDay(to) && 'The to must be a day, such as 2026-11-30.',
    path: path !== undefined && !path.startsWith('/') && 'The path must begin with /.',
  }
  return Object.fromEntries(Object.entries(wrong).flatMap(([name, text]) => (text ? [[name, [text]]] : [])))
}

const DAYS_FAULT = `The days must be a whole number from 1 to ${MOST_DAYS}.`

function fault(name: string, text: string): ModuleError {
  return new ModuleError(422, 'The query is not valid.', { [name]: [text] })
}
