import type { Key } from '#core/key.ts'
import { mediaNamed, mediaOfAddress, type SiteAddress } from '#core/media/media.ts'
import { entity } from '#fulltext/text/entities.ts'
import { Slices } from '#lib/concurrency/slices.ts'

/** The parts of a text that is not understood which may name media. */
export interface LikeOptions {
  readonly site: SiteAddress
  /** Names as fields of the type media hold them count as well: `2026/photo.jpg`. */
  readonly hasFields?: boolean
}

const WORD = /[^\s"'()<>\\]+/g
/** The signs that may stand between addresses within a word. */
const BETWEEN = /[,;|`*[\]{}]+/
const ADDRESS = /\/(?:content\/)?media\/[\s\S]/i
const HOST = /https?:\/\//i
const ESCAPE = /\\([!-/:-@[-`{-~])/g
const CODED = /&(#?[\da-z]{1,8});/gi
/** The signs around the values of a line of front matter. */
const AROUND = /["'[\]{},]| #|[:=] |^\s*(?:- +)+/
const ENDED = /\.[\da-z]{1,10}$/i

/** Finds the media files that a text which is not understood names, by what looks like an address or the value of a field. */
export async function mediaLike(text: string, { site, hasFields = false }: LikeOptions): Promise<Set<string>> {
  const found = new Set<string>()
  const slices = new Slices()
  const add = (key: Key | undefined) => {
    if (key) found.add(key.id)
  }
  for (const form of formsOf(text)) {
    for (const [word] of form.matchAll(WORD)) {
      if (slices.isOver) await slices.pause()
      for (const address of addressesIn(word)) add(mediaOfAddress(address, site))
    }
  }
  for (const line of hasFields ? text.split(/\r\n|[\r\n]/) : []) {
    for (const value of valuesIn(line)) {
      if (slices.isOver) await slices.pause()
      if (ENDED.test(value)) add(mediaNamed(value, site))
    }
  }
  return found
}

/** A text as it is, and as the escapes of Markdown, HTML or YAML would have it. */
function formsOf(text: string): string[] {
  const decoded = withoutEntities(text)
  return [...new Set([text, decoded, decoded.replace(ESCAPE, '$1')])]
}

/** Returns a text with the characters that its entities stand for: `&#122;`, `&amp;`. */
export function withoutEntities(text: string): string {
  return text.replace(CODED, (whole, name: string) => entity(name) ?? whole)
}

/** Looks at each character a few times, however many addresses begin in a word. */
function* addressesIn(word: string): Generator<string> {
  if (!ADDRESS.test(word)) return
  const parts = word.split(BETWEEN)
  for (const part of parts.length > 1 ? [word, ...parts] : parts) {
    const at = part.search(ADDRESS)
    if (at < 0) continue
    const host = part.search(HOST)
    const address = part.slice(host >= 0 && host < at ? host : at).replace(/^\/content\//i, '/')
    yield address
    const plain = withoutEnd(address)
    if (plain !== address) yield plain
  }
}

/** An address without the signs that end a sentence behind it. */
function withoutEnd(address: string): string {
  let end = address.length
  while ('.,:;!?_~'.includes(address[end - 1] ?? ' ')) end--
  return address.slice(0, end)
}

/** The values that a line of front matter may give to fields: as a whole, and each of several. */
function* valuesIn(line: string): Generator<string> {
  const start = line.search(/[:=] /)
  if (start >= 0) yield line.slice(start + 2).trim()
  for (const value of line.split(AROUND)) yield value.trim()
}
