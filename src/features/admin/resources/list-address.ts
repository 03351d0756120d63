import type { QueryParams } from '#http/query.ts'

/** A part of the address of a list that narrows it: `{ name: 'tag', label: 'Tag', value: 'tides' }`. */
export interface Chip {
  readonly name: string
  readonly label: string
  readonly value: string
}

/** Parameters that are no filter. */
const OTHERS: ReadonlySet<string> = new Set(['page', 'per_page', 'sort', 'q', 'columns', 'done', 'status', 'deleted'])

const WORDS: Readonly<Record<string, string>> = {
  eq: '',
  ne: 'not',
  gt: 'over',
  gte: 'from',
  lt: 'under',
  lte: 'to',
  in: 'one of',
  contains: 'has',
}

/** Returns the filters of a list's address. */
export function chipsOf(params: QueryParams): Chip[] {
  return Object.entries(params)
    .filter(([name, value]) => !OTHERS.has(name) && value !== '')
    .map(([name, value]) => {
      const [, field = name, op = 'eq'] = /^filter\[([^\]]+)\](?:\[([a-z]+)\])?$/.exec(name) ?? []
      const label = [field.replaceAll('_', ' '), WORDS[op] ?? op].filter((word) => word !== '').join(' ')
      return { name, label: label.charAt(0).toUpperCase() + label.slice(1), value }
    })
}

/** Returns a path with these parameters in the place of those it has; empty ones are left out. */
export function addressWith(address: string, params: QueryParams): string {
  const [path = '', query = ''] = address.split('?', 2)
  const all = new URLSearchParams(query)
  for (const [name, value] of Object.entries(params)) {
    if (value === '') all.delete(name)
    else all.set(name, value)
  }
  const text = all.toString()
  return text === '' ? path : `${path}?${text}`
}
