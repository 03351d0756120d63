import type { Access } from '#core/access/access.ts'
import type { Document, Head } from '#core/document.ts'
import { fieldsOf, meaningOf } from '#core/format/read.ts'
import { rawOf } from '#core/format/written.ts'
import type { Key } from '#core/key.ts'
import type { ContentType } from '#core/types/content-type.ts'
import type { Fields } from '#lib/json.ts'
import { type Followed, writeAt } from '../links/address-change.ts'
import type { Deps, RecordAnswer } from '../parts.ts'
import { mustMayBecome, mustMayChange } from '../rights.ts'
import { unreadable } from '../unreadable.ts'
import { noteOf } from './commit-messages.ts'
import type { AddressOptions, Editor } from './editor.ts'
import { checkedKey } from './new-id.ts'

/** A record that was moved, and what followed it. */
export interface Moved extends RecordAnswer, Followed {}

/** Gives records other ids. */
export class Mover {
  readonly #deps: Deps
  readonly #editor: Editor

  constructor(deps: Deps, editor: Editor) {
    this.#deps = deps
    this.#editor = editor
  }

  async move(access: Access, typeName: string, id: string, newId: string, options: AddressOptions): Promise<Moved> {
    return this.#editor.onRecord(access, typeName, id, 'content:write', options, async (type, document) => {
      if (document.problem?.severity === 'error') throw unreadable(access, document.problem, typeName)
      const moved = await this.#rename(access, type, document, checkedKey(typeName, newId), options)
      return { ...moved, ...this.#deps.renderer.render(type, moved.document) }
    })
  }

  async #rename(access: Access, type: ContentType, before: Document, to: Key, { asked, redirect }: AddressOptions) {
    if (to.id === before.key.id) return { document: before, rewritten: 0, left: [] }
    // An address is what a slug is for; the alias beside is Quire's doing.
    mustMayChange(access, type, ['slug'])
    mustMayBecome(access, to)
    const after: Head = { ...before, key: to, fields: fieldsAt(type, before, to) }
    const { slug } = after.fields
    const unique = slug === before.fields.slug ? [] : [{ field: 'slug', value: String(slug) }]
    const wish = {
      going: { type, before, after },
      change: { key: to, from: before.key, put: {}, expects: before.version, unique },
      hasBody: false,
      redirect: redirect ?? true,
    }
    return writeAt(this.#deps, access, wish, noteOf('moved', before.key, asked, ` to ${to.id}`))
  }
}

/**
 * Returns what a record says under another key: of what is derived, title and slug may be of its id; what its path says it keeps.
 */
export function fieldsAt(type: ContentType, document: Document, to: Key): Fields {
  const raw = rawOf(document)
  if (!raw) return document.fields
  const { title = null, slug = null } = fieldsOf(meaningOf(to, type, { extension: 'md' }, raw, () => document.body))
  return { ...document.fields, title, slug }
}
