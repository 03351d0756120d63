import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import { parseRevisionName, revisionAsOf, timeNamed } from '#core/history/revision-name.ts'
import { type Key, parseKey } from '#core/key.ts'
import { isThere } from '#core/queries/extent.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { versionETag } from '#http/answers/etag.ts'
import { NotFound } from '#lib/errors.ts'
import type { Deps, Part, RecordAnswer } from '../parts.ts'
import { mustHold } from '../rights.ts'
import { missing, unreadable } from '../unreadable.ts'
import { fitting } from './omission.ts'
import { type Selection, selectionOf, WHOLE } from './parameters.ts'
import { presentAt } from './present.ts'
import type { Selector } from './selector.ts'

/**
 * The options for reading a single record: `fields` and `include` are comma-separated lists, `at` is a time or a revision as
 * requests name them.
 */
export interface GetOptions {
  readonly fields?: string
  readonly include?: string
  readonly at?: string
}

/** Answers single records. */
export class Reader {
  readonly #deps: Deps
  readonly #selector: Selector

  constructor(deps: Deps, selector: Selector) {
    this.#deps = deps
    this.#selector = selector
  }

  /** See `Records.written`. */
  async written(access: Access, typeName: string, once: string | undefined): Promise<RecordAnswer | undefined> {
    if (once === undefined) return undefined
    const { store, registry, renderer } = this.#deps
    const type = registry.named(access, typeName)
    mustHold(access, 'content:write', typeName)
    const document = (await store.written(once))?.find(({ key }) => key.kind === typeName)
    return document && { document, ...renderer.render(type, document) }
  }

  async get(access: Access, typeName: string, id: string, options?: GetOptions): Promise<RecordAnswer> {
    const { store, registry, renderer, clock } = this.#deps
    const type = registry.readable(access, typeName)
    const selection = options ? selectionOf(type, options) : WHOLE
    const key = parseKey(typeName, id)
    if (key && options?.at !== undefined) return this.#past(access, type, key, { selection, at: options.at })
    const document = key && (await store.get(key))
    if (!document) throw await missing(store, access, typeName, id)
    if (document.problem?.severity === 'error') throw unreadable(access, document.problem, typeName)
    const rendering = renderer.render(type, document)
    // What is public needs no look at whose it is.
    if (!rendering.live && !isThere(access, type, document, clock.now())) throw new NotFound()
    if (selection !== WHOLE) return this.#selected(access, type, document, selection)
    return { document, body: rendering.body, json: rendering.json, etag: rendering.etag }
  }

  /** The record as of a time; its status reads as it did then. */
  async #past(access: Access, type: ContentType, key: Key, asked: { selection: Selection; at: string }): Promise<RecordAnswer> {
    const { histories, clock } = this.#deps
    const history = await histories.of(access, type, key)
    const name = parseRevisionName('at', asked.at)
    const revision = revisionAsOf(history.all, name)
    const document = revision && history.visible.includes(revision) ? await histories.document(history, revision) : undefined
    if (!revision || !document) throw new NotFound('The record was not found at that time.')
    if (document.problem?.severity === 'error') throw unreadable(access, document.problem, type.name)
    const then = Math.max(Date.parse(revision.at), Math.min(timeNamed(name), clock.now()))
    if (asked.selection !== WHOLE) return this.#selected(access, type, document, asked.selection, then)
    return { document, ...presentAt(type, document, then) }
  }

  async #selected(access: Access, type: ContentType, document: Document, asked: Selection, then?: number): Promise<RecordAnswer> {
    const unmade = await this.#selector.select(access, type, [document], asked, then === undefined ? undefined : () => then)
    const { selection, parts } = unmade.inclusion
      ? await fitting(unmade, asked, (made, { omitted }) => answer(made, omitted).length)
      : { selection: asked, parts: unmade.make(asked) }
    const [part] = parts
    if (!part) throw new NotFound()
    const rest = `${JSON.stringify(selection)} ${access.fingerprint} ${part.tag} ${then ?? ''}`
    return { document, json: part.json, body: answer(parts, selection.omitted), etag: versionETag(document.version, rest) }
  }
}

/** The answer with a record, and the fields that it goes without. */
function answer(parts: readonly Part[], omitted: readonly string[] = []): Buffer {
  const meta = omitted.length > 0 ? `,"meta":${JSON.stringify({ omitted })}` : ''
  return Buffer.concat([Buffer.from('{"data":'), ...parts.map(({ json }) => json), Buffer.from(`${meta}}`)])
}
