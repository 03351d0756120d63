/** The ways in which the panel tells a date. */
const FORMS = {
  day: { year: 'numeric', month: '2-digit', day: '2-digit' },
  year: { year: 'numeric' },
  clock: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  long: { dateStyle: 'long', timeStyle: 'short' },
  short: { day: 'numeric', month: 'short' },
  shortWithYear: { day: 'numeric', month: 'short', year: 'numeric' },
  words: { day: 'numeric', month: 'long' },
  wordsWithYear: { day: 'numeric', month: 'long', year: 'numeric' },
  weekday: { weekday: 'long', day: 'numeric', month: 'long' },
  comingWithYear: { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  coming: { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>

/** The formats by locale and zone, of which a site has one each: to make one takes longer than a row of a list. */
const known = new Map<string, Map<string, Map<keyof typeof FORMS, Intl.DateTimeFormat>>>()

/** `en` names no country: the panel's own words have the day before the month. */
const SPOKEN: Readonly<Record<string, string>> = { en: 'en-GB' }

/** Tells a time (milliseconds since 1970) in one of the panel's ways. */
export function dateText(
  form: keyof typeof FORMS,
  at: number,
  { locale, timezone }: { readonly locale: string; readonly timezone: string },
): string {
  const zones = known.get(locale) ?? new Map<string, Map<keyof typeof FORMS, Intl.DateTimeFormat>>()
  const formats = zones.get(timezone) ?? new Map<keyof typeof FORMS, Intl.DateTimeFormat>()
  const format = formats.get(form) ?? new Intl.DateTimeFormat(SPOKEN[locale] ?? locale, { timeZone: timezone, ...FORMS[form] })
  known.set(locale, zones.set(timezone, formats.set(form, format)))
  return format.format(at)
}
