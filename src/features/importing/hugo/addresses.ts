import type { Fields, Json } from '#lib/json.ts'
import { objectOf, textOf } from '../folder.ts'

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DEFAULT = '/:sections/:slugorcontentbasename/'

/** The parts of a page that its address is made of. */
export interface Located {
  /** The path of its file below the content folder, with its ending. */
  readonly path: string
  readonly data: Readonly<Fields>
}

/** Returns the patterns of addresses by section: `permalinks` of a configuration, in its older form too. */
export function patternsOf(permalinks: Json | undefined): ReadonlyMap<string, string> {
  const all = objectOf(permalinks)
  const pages = { ...all, ...objectOf(all.page) }
  return new Map(Object.entries(pages).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** Returns the path of the page that Hugo made of a file; undefined where it can't be told. */
export function addressOf({ path, data }: Located, patterns: ReadonlyMap<string, string>, isUgly: boolean): string | undefined {
  const { url } = data
  if (typeof url === 'string' && url !== '' && !url.includes('://'))
    return url.includes(':') ? undefined : `/${url.replace(/^\/+/, '')}`
  const names = path.replace(/\.[^./]+$/, '').split('/')
  const last = names.pop() ?? ''
  if (last === '_index') return plain(`/${names.join('/')}/`)
  const isBundle = last === 'index'
  const base = isBundle ? (names.at(-1) ?? '') : last
  const sections = isBundle ? names.slice(0, -1) : names
  if (isBundle && names.length === 0) return '/'
  const pattern = patterns.get(sections[0] ?? '') ?? patterns.get('/') ?? DEFAULT
  const filled = fill(pattern, { data, base, sections })
  if (filled === undefined) return undefined
  const clean = plain(`/${filled}`)
  return isUgly && clean !== '/' && !/\.\w+$/.test(clean) ? `${clean.replace(/\/$/, '')}.html` : clean
}

/** Returns the pattern as a permalink of a type says it; undefined where none does. */
export function permalinkLike(pattern: string): string | undefined {
  const text = pattern
    .replace(/:(?:title|slug|filename|slugorfilename|contentbasename|slugorcontentbasename)\b/g, '{slug}')
    .replace(/:(year|month|day)\b/g, '{$1}')
    .replace(/\/$/, '')
  return /:\w/.test(text) || !text.includes('{slug}') ? undefined : text
}

interface Parts {
  readonly data: Readonly<Fields>
  readonly base: string
  readonly sections: readonly string[]
}

function fill(pattern: string, { data, base, sections }: Parts): string | undefined {
  const { slug, title, date, publishDate, publishdate } = data
  const [, year = '', month = '', day = ''] =
    /^\s*(\d{4})-(\d\d)-(\d\d)/.exec(String(date ?? publishDate ?? publishdate ?? '')) ?? []
  const named = textOf(slug)
  const values: Readonly<Record<string, string>> = {
    year,
    month,
    day,
    monthname: MONTHS[Number(month) - 1] ?? '',
    section: sections[0] ?? '',
    sections: sections.join('/'),
    title: textOf(title) ?? base,
    slug: named ?? textOf(title) ?? base,
    filename: base,
    contentbasename: base,
    slugorfilename: named ?? base,
    slugorcontentbasename: named ?? base,
  }
  let isKnown = true
  const filled = pattern.replace(/:([a-z]+)(?:\[[^\]]{0,20}\])?/gi, (token, name: string) => {
    const isValue = !token.includes('[') && Object.hasOwn(values, name.toLowerCase())
    const value = isValue ? values[name.toLowerCase()] : undefined
    const needsDate = ['year', 'month', 'day', 'monthname'].includes(name.toLowerCase())
    isKnown &&= value !== undefined && !(needsDate && value === '')
    return value ?? ''
  })
  return isKnown ? filled : undefined
}

/** A path as Hugo writes one: in small letters, with `-` for spaces. */
function plain(path: string): string {
  return path
    .toLowerCase()
    .trim()
    .replace(/\s+/g, '-')
    .replace(/\/{2,}/g, '/')
    .replace(/["'#?%]/g, '')
}
