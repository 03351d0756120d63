import type { PageFile, PagePart, PartCell, PartLink } from '#module/panel.ts'

/** Most parts of a page, and most of what a part has; characters of a text. */
const MOST = { parts: 50, figures: 12, points: 400, rows: 1000, columns: 12, links: 50, text: 10_000, word: 500 } as const

const FILE_TYPES: readonly PageFile['type'][] = ['text/csv', 'text/plain', 'application/json']
const LONGEST_FILE = 32 * 1024 * 1024

type Given = Readonly<Record<string, unknown>>

/** Returns the parts that a module made, copied and checked: whatever it returned has this shape then. Throws a sentence. */
export function checkedParts(made: unknown): PagePart[] {
  return listOf(made, 'parts', MOST.parts).map((part, n) => checkedPart(objectOf(part, `parts[${n}]`), `parts[${n}]`))
}

/** Returns the file that a module made, checked. Throws a sentence. */
export function checkedFile(made: unknown): PageFile {
  const { type, text } = objectOf(made, 'the file')
  const known = FILE_TYPES.find((one) => one === type)
  if (!known) throw new Error(`The type of the file is one of ${FILE_TYPES.join(', ')}.`)
  return { type: known, text: textOf(text, 'text of the file', LONGEST_FILE) }
}

function checkedPart(part: Given, at: string): PagePart {
  const check = Object.hasOwn(PARTS, String(part.kind)) ? PARTS[part.kind as PagePart['kind']] : undefined
  if (!check) throw new Error(`${at}.kind is one of ${Object.keys(PARTS).join(', ')}.`)
  return check(part, at)
}

const PARTS: { readonly [Kind in PagePart['kind']]: (part: Given, at: string) => Extract<PagePart, { kind: Kind }> } = {
  text: ({ text, isNote }, at) => ({ kind: 'text', text: textOf(text, `${at}.text`, MOST.text), isNote: isNote === true }),
  figures: ({ figures }, at) => ({
    kind: 'figures',
    figures: eachOf(figures, `${at}.figures`, MOST.figures, ({ label, value, note }, at) => ({
      label: word(label, `${at}.label`),
      value: word(value, `${at}.value`),
      ...(note !== undefined && { note: word(note, `${at}.note`) }),
    })),
  }),
  chart: ({ label, bars, line, points }, at) => ({
    kind: 'chart',
    label: word(label, `${at}.label`),
    ...(bars !== undefined && { bars: word(bars, `${at}.bars`) }),
    ...(line !== undefined && { line: word(line, `${at}.line`) }),
    points: eachOf(points, `${at}.points`, MOST.points, ({ label, value, line, isMuted }, at) => ({
      label: word(label, `${at}.label`),
      value: heightOf(value, `${at}.value`),
      ...(line !== undefined && { line: heightOf(line, `${at}.line`) }),
      isMuted: isMuted === true,
    })),
  }),
  table: ({ label, columns, rows, empty }, at) => ({
    kind: 'table',
    label: word(label, `${at}.label`),
    columns: listOf(columns, `${at}.columns`, MOST.columns).map((one, n) => word(one, `${at}.columns[${n}]`)),
    rows: listOf(rows, `${at}.rows`, MOST.rows).map((row, n) =>
      listOf(row, `${at}.rows[${n}]`, MOST.columns).map((cell, m) => cellOf(cell, `${at}.rows[${n}][${m}]`)),
    ),
    ...(empty !== undefined && { empty: word(empty, `${at}.empty`) }),
  }),
  links: ({ links }, at) => ({ kind: 'links', links: eachOf(links, `${at}.links`, MOST.links, linkOf) }),
}

function cellOf(cell: unknown, at: string): PartCell {
  if (typeof cell === 'string' || typeof cell === 'number') return word(String(cell), at)
  const { text, url, share } = objectOf(cell, at)
  return {
    text: word(typeof text === 'number' ? String(text) : text, `${at}.text`),
    ...(url !== undefined && { url: urlOf(url, `${at}.url`) }),
    ...(share !== undefined && { share: Math.min(1, heightOf(share, `${at}.share`)) }),
  }
}

function linkOf({ label, url, isCurrent, icon }: Given, at: string): PartLink {
  return {
    label: word(label, `${at}.label`),
    url: urlOf(url, `${at}.url`),
    ...(isCurrent !== undefined && { isCurrent: isCurrent === true }),
    ...(icon !== undefined && { icon: word(icon, `${at}.icon`) }),
  }
}

/** An address that runs nothing: to a browser a backslash is a slash, and two of these begin a host. */
function urlOf(value: unknown, at: string): string {
  const url = textOf(value, at, 2000)
  if (/^(?:\/(?![/\\])|\.\/|\?|#|https?:\/\/|mailto:)/i.test(url) && !/[\s\p{Cc}\\<>"]/u.test(url)) return url
  throw new Error(`${at} is a path (/admin/x, ?days=7, ./views.csv) or an address of http, https or mailto.`)
}

function heightOf(value: unknown, at: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  throw new Error(`${at} is a number, 0 or more.`)
}

function word(value: unknown, at: string): string {
  return textOf(value, at, MOST.word)
}

function textOf(value: unknown, at: string, most: number): string {
  if (typeof value !== 'string') throw new Error(`${at} is a text.`)
  if (value.length > most) throw new Error(`${at} has at most ${most} characters.`)
  return value
}

function eachOf<T>(value: unknown, at: string, most: number, check: (item: Given, at: string) => T): T[] {
  return listOf(value, at, most).map((item, n) => check(objectOf(item, `${at}[${n}]`), `${at}[${n}]`))
}

function listOf(value: unknown, at: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${at} is a list.`)
  if (value.length > most) throw new Error(`${at} has at most ${most} items.`)
  return value
}

function objectOf(value: unknown, at: string): Given {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Given
  throw new Error(`${at} is an object.`)
}
