import { ModuleError } from '#module/module.ts'

const MOST = 100

/** The parameters of a list, for the API's description. */
export const PAGING_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    page: { type: 'string', description: 'The part of the list, from 1.' },
    per_page: { type: 'string', description: `Entries of a part, at most ${MOST}; 20 by default.` },
  },
} as const

/** Returns the part of a list that a query asks for. Throws a ModuleError with status 422. */
export function pagingOf({ page = '1', per_page = '20' }: Readonly<Record<string, string>>): { page: number; perPage: number } {
  const wrong = Object.entries({ page, per_page }).filter(([, value]) => !/^[1-9]\d{0,8}$/.test(value))
  const errors = Object.fromEntries(wrong.map(([name]) => [name, [`The ${name} must be a whole number from 1 on.`]]))
  if (wrong.length > 0) throw new ModuleError(422, 'The query is not valid.', errors)
  return { page: Number(page), perPage: Math.min(MOST, Number(per_page)) }
}
