/** The part of a filter's surroundings that is used. */
interface Filtering {
  readonly context: { readonly globals?: unknown }
}

type Apply = (this: never, value: never, ...others: never[]) => unknown

/** The filters of LiquidJS that make texts of dates. */
const DATES = ['date', 'date_to_xmlschema', 'date_to_rfc822', 'date_to_string', 'date_to_long_string'] as const

/** Returns whether a value stands for the moment at which a template is rendered. */
export function isNow(value: unknown): boolean {
  return value === 'now' || value === 'today'
}

/**
 * Has `now` and `today` be, in the filters for dates, the moment (milliseconds since 1970) that `momentOf` gives for the globals of a
 * rendering, and texts as any others where it gives none.
 */
export function tellTime(filters: Record<string, unknown>, momentOf: (globals: unknown) => number | undefined): void {
  for (const name of DATES) {
    const apply = filters[name] as Apply
    filters[name] = function (this: Filtering, value: unknown, ...others: unknown[]): unknown {
      const moment = isNow(value) ? momentOf(this.context.globals) : undefined
      if (isNow(value) && moment === undefined) return value
      return apply.call(this as never, (moment === undefined ? value : new Date(moment)) as never, ...(others as never[]))
    }
  }
}
