import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import { versionOf } from '#core/format/version.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { slugify } from '#lib/text/slug.ts'
import type { Deps } from '../parts.ts'
import { readings } from '../reading/present.ts'
import type { Reader } from '../reading/reader.ts'
import { mustHold, mustReach } from '../rights.ts'
import { type Background, readChange, readNew, type Sent, withPaths } from './input.ts'
import { newKeys } from './new-id.ts'
import { signed } from './new-rights.ts'
import { firstStatus } from './stored-status.ts'

/** Makes records as they would be, to be shown and never written. */
export class Drafts {
  readonly #deps: Deps
  readonly #reader: Reader

  constructor(deps: Deps, reader: Reader) {
    this.#deps = deps
    this.#reader = reader
  }

  /** See `Records.draft`. */
  async of(access: Access, typeName: string, id: string | undefined, input: Fields): Promise<Document> {
    const { registry, clock } = this.#deps
    if (id === undefined) return this.#new(access, typeName, input)
    const { document } = await this.#reader.get(access, typeName, id)
    if (Object.keys(input).length === 0) return document
    const type = registry.readable(access, typeName)
    mustReach(access, 'content:write', type, document.fields)
    const { status } = document.fields
    const background: Background = {
      shown: readings(type, document, clock.now()),
      status: typeof status === 'string' ? status : undefined,
    }
    const sent = lenient(input, (fields) => withPaths(type, readChange(type, fields, background), this.#deps.media()))
    return draftOf(document, sent)
  }

  async #new(access: Access, typeName: string, input: Fields): Promise<Document> {
    const { registry, clock } = this.#deps
    const type: ContentType = registry.named(access, typeName)
    mustHold(access, 'content:write', typeName)
    const whole = signed(access, type, { title: 'Untitled', ...input })
    const sent = lenient(whole.input, (fields) => withPaths(whole.type, readNew(whole.type, fields), this.#deps.media()))
    const title = typeof sent.fields.title === 'string' ? sent.fields.title : 'Untitled'
    const slug = typeof sent.fields.slug === 'string' ? sent.fields.slug : slugify(title) || 'untitled'
    const keys = newKeys(type, sent.fields, { now: clock.now(), mayBeIndex: access.may('content:write', type.name) })
    const key = keys.key(keys.segment(slug))
    const fields: Fields = { title, slug, status: firstStatus(type) }
    return draftOf({ key, fields, body: '', version: '' }, sent)
  }
}

/** Reads what was sent without the fields that are wrong: a preview shows what it can. */
function lenient(input: Fields, read: (fields: Fields) => Sent): Sent {
  try {
    return read(input)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const wrong = new Set(Object.keys(error.errors).map((path) => path.split('.', 1)[0]))
    const left = Object.fromEntries(Object.entries(input).filter(([name]) => !wrong.has(name)))
    if (Object.keys(left).length === Object.keys(input).length) throw error
    return read(left)
  }
}

/** A version of its own stands for the content: what is made of a document is kept by it. */
function draftOf(document: Document, { fields: sent, body = document.body, termNames }: Sent): Document {
  const { source: _, ...rest } = document
  const all = { ...document.fields, ...sent }
  const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
  const version = versionOf(Buffer.from(JSON.stringify(['draft', document.version, fields, body])))
  return { ...rest, fields, body, version, ...(termNames && { termNames: { ...document.termNames, ...termNames } }) }
}
