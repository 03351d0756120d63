import { relink } from '#core/links/relink.ts'
import type { ScanThread } from '#core/links/scan-thread.ts'
import { isObject } from '#frontmatter/changes.ts'
import { nameInQuire } from '#frontmatter/other-tools.ts'
import type { Fields, Json } from '#lib/json.ts'
import { isMediaName } from './media-files.ts'
import { outsideCode } from './outside-code.ts'

/** Returns the new address of what a link leads to; undefined leaves it as it is. */
export type Addressed = (href: string) => string | undefined

/** Keys whose values are no addresses of files, or are kept as they are. */
const KEPT: ReadonlySet<string> = new Set(['id', 'type', 'url', 'version', 'body', 'path', 'aliases', 'title'])

/** A text that may name files has one of these. */
const MAY_LINK = /[([<:]|src|href/i

/** The tag of a shortcode, and a value in it with what is before. */
const CALL = /\{\{<(?!\/\*)(?:[^"`<>{}]|"(?:[^"\\\n]|\\.){0,500}"){1,300}?>\}\}/g
const VALUE = /(=\s{0,20}|\s)(?:"([^"\\\n]{1,500})"|([^\s"<>={}]{1,500}))/g

/** A text whose links to files lead to where these are now; `failed` where that could not be done for certain. */
export interface Led {
  readonly text: string
  readonly failed: boolean
}

/** Returns the text with its links and pictures rewritten, and every other byte as it was. */
export async function withAddresses(text: string, scanner: ScanThread, addressed: Addressed): Promise<Led> {
  if (!MAY_LINK.test(text)) return { text, failed: false }
  const made = await relink(text, scanner, (destination) => addressed(destination.text))
  return { text: made ?? text, failed: made === null }
}

/** Returns a text whose shortcodes name files by where these are now: `{{< figure src="/cat.png" >}}`. */
export function withCallsAddressed(text: string, addressed: Addressed): string {
  if (!text.includes('{{<')) return text
  const named = (whole: string, before: string, ...values: (string | undefined)[]) => {
    const value = values.slice(0, 2).find((one) => one !== undefined) ?? ''
    const made = /\s/.test(value) || !isMediaName(value.split(/[?#]/, 1)[0] ?? '') ? undefined : addressed(value)
    return made === undefined ? whole : before + whole.slice(before.length).replace(value, () => made)
  }
  return outsideCode(text, (piece) => piece.replace(CALL, (call) => call.replace(VALUE, named)))
}

/** Returns the addresses on the web that the pictures of a text lead to. */
export async function picturesElsewhere(text: string, scanner: ScanThread): Promise<string[]> {
  const found = /https?:\/\//i.test(text) ? await scanner.scan(text) : undefined
  return (found ?? []).filter(({ isPicture, text }) => isPicture && /^https?:\/\//i.test(text)).map(({ text }) => text)
}

/** Returns the addresses of media on the web that fields have for their values. */
export function addressesIn(data: Readonly<Fields>): string[] {
  const texts = Object.values(data).filter((value) => typeof value === 'string')
  return texts.filter((text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text) && isMediaName(new URL(text).pathname))
}

/** Returns the fields of data that name files, with the addresses of these in their place. */
export function fieldsWithAddresses(data: Readonly<Fields>, addressed: Addressed): Fields {
  const found: Fields = {}
  for (const [key, value] of Object.entries(data)) {
    if (KEPT.has(key) || nameInQuire(key, value) !== undefined) continue
    const made = valueWith(value, addressed)
    if (made !== value) found[key] = made
  }
  return found
}

/** The same value where nothing in it names a file. */
function valueWith(value: Json, addressed: Addressed): Json {
  if (typeof value === 'string') return /\s/.test(value) ? value : (addressed(value) ?? value)
  if (Array.isArray(value)) {
    const items = value.map((one) => valueWith(one, addressed))
    return items.every((one, n) => one === value[n]) ? value : items
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, one]): [string, Json] => [key, valueWith(one, addressed)])
  return entries.every(([key, one]) => one === value[key]) ? value : Object.fromEntries(entries)
}
