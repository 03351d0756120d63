import type { Access } from '../../core/access.ts'
import type { ContentType } from '../../core/content-type.ts'
import type { Document } from '../../core/document.ts'
import { NotFound } from '../../core/errors.ts'
import { parseKey } from '../../core/key.ts'
import { type Selection, selectionOf, WHOLE } from './parameters.ts'
import type { Parts, RecordAnswer } from './parts.ts'
import { shortHash } from './present.ts'
import { liveOnly } from './rights.ts'
import type { Selector } from './selector.ts'
import { unreadable } from './unreadable.ts'

/** What of a single record is wanted: `fields` and `include` are lists with commas. */
export interface GetOptions {
  readonly fields?: string
  readonly include?: string
}

/** Answers single records. */
export class Reader {
  readonly #parts: Parts
  readonly #selector: Selector

  constructor(parts: Parts, selector: Selector) {
    this.#parts = parts
    this.#selector = selector
  }

  async get(access: Access, typeName: string, id: string, options?: GetOptions): Promise<RecordAnswer> {
    const { store, catalogue, renderer } = this.#parts
    const type = catalogue.readable(access, typeName)
    const selection = options ? selectionOf(type, options) : WHOLE
    const key = parseKey(typeName, id)
    const document = key && (await store.get(key))
    if (!document) throw new NotFound()
    if (document.problem?.severity === 'error') throw unreadable(access, document.problem, typeName)
    const rendering = renderer.render(type, document)
    if (!rendering.live && liveOnly(access, typeName)) throw new NotFound()
    if (selection !== WHOLE) return this.#selected(access, type, document, selection)
    return { document, body: rendering.body, json: rendering.json, etag: rendering.etag }
  }

  async #selected(access: Access, type: ContentType, document: Document, selection: Selection): Promise<RecordAnswer> {
    const [part] = await this.#selector.select(access, type, [document], selection)
    if (!part) throw new NotFound()
    const suffix = shortHash(`${JSON.stringify(selection)} ${access.fingerprint} ${part.tag}`)
    const body = Buffer.concat([Buffer.from('{"data":'), part.json, Buffer.from('}')])
    return { document, json: part.json, body, etag: `"${document.version}-${suffix}"` }
  }
}
