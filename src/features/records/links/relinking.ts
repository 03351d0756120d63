import type { Document } from '#core/document.ts'
import { unifyLines } from '#core/format/raw.ts'
import { rawOf } from '#core/format/written.ts'
import type { Destination } from '#core/links/destination.ts'
import { relink } from '#core/links/relink.ts'
import type { ScanThread } from '#core/links/scan-thread.ts'
import type { Put } from '#core/store.ts'
import type { ContentType, Field } from '#core/types/content-type.ts'
import { rewritten } from '#core/types/fields.ts'
import type { Fields, Json } from '#lib/json.ts'

/** The rewriting of a record whose links follow another record; `isSure` is false if some links had to stay. */
export interface Relinking {
  readonly put: Put
  readonly isSure: boolean
}

/** Returns the text of a link that is to lead elsewhere; undefined for one that stays. A `plain` one is the value of a field. */
export type Redirect = (link: { readonly text: string; readonly form: Destination['form'] | 'plain' }) => string | undefined

/**
 * Rewrites the links of a record, in its body and in declared fields of the types url and markdown at any depth; undefined where
 * none has to be another. `fields` are what its fields become beside.
 */
export async function relinked(
  document: Document,
  type: Pick<ContentType, 'fields' | 'wikilinks'>,
  redirect: Redirect,
  scanner: ScanThread,
  fields: Readonly<Fields> = document.fields,
): Promise<Relinking | undefined> {
  const inText = (text: string) => relink(text, scanner, redirect)
  const { set, isSure } = await inFields(fields, type, { inText, inUrl: (text) => redirect({ text, form: 'plain' }) })
  const parts = partsOf(document)
  const body = parts && (await relink(parts.body, scanner, redirect, type.wikilinks))
  const hasSet = Object.keys(set).length > 0
  if (typeof body !== 'string')
    return hasSet || body === null || !isSure ? { put: hasSet ? { set } : {}, isSure: isSure && body !== null } : undefined
  const put = parts?.head ? { source: Buffer.concat([parts.head, Buffer.from(body)]) } : { body }
  return { put: { ...put, ...(hasSet && { set }) }, isSure }
}

/** Returns whether the file of an unreadable record has a link that would have to change, or can't be searched for one. */
export async function leadsThere({ source }: Document, redirect: Redirect, scanner: ScanThread): Promise<boolean> {
  const found = source && (await scanner.scan(unifyLines(source.toString('utf8'))))
  return found === undefined || found.some((one) => redirect(one) !== undefined)
}

/** The bytes before the body and the body as it is written; of a file that is data alone, the body it holds. */
function partsOf(document: Document): { head: Buffer | undefined; body: string } | undefined {
  const { source, body } = document
  const raw = source && rawOf(document)
  if (!source || !raw) return undefined
  if (raw.parts.data) return { head: undefined, body }
  return { head: source.subarray(0, raw.parts.bodyStart), body: source.toString('utf8', raw.parts.bodyStart) }
}

interface Rewriters {
  inText(text: string): Promise<string | null | undefined>
  inUrl(text: string): string | undefined
}

async function inFields(
  fields: Readonly<Fields>,
  type: Pick<ContentType, 'fields'>,
  { inText, inUrl }: Rewriters,
): Promise<{ set: Fields; isSure: boolean }> {
  const set: Fields = {}
  let isSure = true
  for (const field of type.fields.values()) {
    const texts = new Map<Json, string | undefined>()
    for (const text of textsIn(field, fields[field.name])) {
      const made = await inText(text)
      if (made === null) isSure = false
      texts.set(text, made ?? undefined)
    }
    const made = rewritten(field, fields[field.name], (one, value) => {
      if (one.type === 'markdown') return texts.get(value)
      return one.type === 'url' && typeof value === 'string' ? inUrl(value) : undefined
    })
    if (made !== undefined) set[field.name] = made
  }
  return { set, isSure }
}

/** The Markdown in a field, each text once. */
function textsIn(field: Field, value: Json | undefined): Set<string> {
  const texts = new Set<string>()
  rewritten(field, value, (one, text) => {
    if (one.type === 'markdown' && typeof text === 'string') texts.add(text)
    return undefined
  })
  return texts
}
