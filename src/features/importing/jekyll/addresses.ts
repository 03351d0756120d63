/** The permalinks of Jekyll that have names. */
const STYLES: ReadonlyMap<string, string> = new Map([
  ['date', '/:categories/:year/:month/:day/:title:output_ext'],
  ['pretty', '/:categories/:year/:month/:day/:title/'],
  ['ordinal', '/:categories/:year/:y_day/:title:output_ext'],
  ['none', '/:categories/:title:output_ext'],
])

/** The parts of a page that its address is made of. */
export interface Located {
  /** `2020-03-04`; '' for none. */
  readonly date: string
  /** The name of its file, without date and ending, or its slug. */
  readonly title: string
  readonly categories: readonly string[]
  readonly collection: string
  /** The path below its collection, without its ending. */
  readonly path: string
}

/** Returns the path that a permalink of posts, named or written out, gives to one; undefined where that can't be told. */
export function addressOfPost(permalink: string, located: Located): string | undefined {
  return filled(STYLES.get(permalink) ?? permalink, located)
}

/** As `addressOfPost`, of a document of a collection. */
export function addressInCollection(permalink: string | undefined, style: string, located: Located): string | undefined {
  const ending = isPretty(style) ? '/' : ':output_ext'
  return filled(permalink ?? `/:collection/:path${ending}`, located)
}

/** Returns the path of a page by that of its file, without its ending. */
export function addressOfPage(path: string, style: string): string {
  if (/(?:^|\/)index$/.test(path)) return `/${path.slice(0, -'index'.length)}`
  return `/${path}${isPretty(style) ? '/' : '.html'}`
}

/** Returns the permalink of posts as a type says it; undefined where none does. */
export function permalinkLike(permalink: string): string | undefined {
  const text = (STYLES.get(permalink) ?? permalink)
    .replace('/:categories', '')
    .replace(/:(?:title|slug|name)\b/g, '{slug}')
    .replace(/:(year|month|day)\b/g, '{$1}')
    .replace(':output_ext', '.html')
    .replace(/\/$/, '')
  return /:\w/.test(text) || !text.includes('{slug}') || text.endsWith('.html') ? undefined : text
}

/** Returns whether pages get addresses without an ending. */
function isPretty(style: string): boolean {
  return style === 'pretty' || style.endsWith('/')
}

function filled(pattern: string, { date, title, categories, collection, path }: Located): string | undefined {
  const [year = '', month = '', day = ''] = date.split('-')
  const values: Readonly<Record<string, string>> = {
    year,
    month,
    day,
    short_year: year.slice(2),
    i_month: month.replace(/^0/, ''),
    i_day: day.replace(/^0/, ''),
    y_day: dayOfYear(date),
    title,
    slug: title,
    name: title,
    basename: title,
    categories: categories.map((name) => name.toLowerCase()).join('/'),
    slugified_categories: categories.map((name) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')).join('/'),
    collection,
    path,
    output_ext: '.html',
  }
  let isKnown = true
  const text = pattern.replace(/:([a-z_]+)/g, (_, name: string) => {
    const isDate = /year|month|day/.test(name)
    isKnown &&= Object.hasOwn(values, name) && !(isDate && date === '')
    return values[name] ?? ''
  })
  return isKnown ? `/${text}`.replace(/\/{2,}/g, '/') : undefined
}

function dayOfYear(date: string): string {
  const time = Date.parse(date)
  if (Number.isNaN(time)) return ''
  const first = Date.parse(`${date.slice(0, 4)}-01-01`)
  return String(Math.round((time - first) / 86_400_000) + 1).padStart(3, '0')
}
