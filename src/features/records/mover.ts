import type { Access } from '../../core/access.ts'
import type { ContentType } from '../../core/content-type.ts'
import type { Document, Head } from '../../core/document.ts'
import type { Fields } from '../../core/json.ts'
import { type Key, lastSegment } from '../../core/key.ts'
import { urlOf } from '../../core/permalink.ts'
import type { Asked } from '../../core/revision.ts'
import { isLive } from '../../core/status.ts'
import type { Editor } from './editor.ts'
import { checkedKey } from './new-id.ts'
import { noteOf } from './notes.ts'
import type { Parts, RecordAnswer } from './parts.ts'
import { mustMayChange } from './rights.ts'
import type { WriteOptions } from './turn-taking.ts'
import { unreadable } from './unreadable.ts'

/** Gives records other ids. */
export class Mover {
  readonly #parts: Parts
  readonly #editor: Editor

  constructor(parts: Parts, editor: Editor) {
    this.#parts = parts
    this.#editor = editor
  }

  move(access: Access, typeName: string, id: string, newId: string, options: WriteOptions): Promise<RecordAnswer> {
    return this.#editor.onRecord(access, typeName, id, 'content:write', options, async (type, document) => {
      if (document.problem?.severity === 'error') throw unreadable(access, document.problem, typeName)
      const moved = await this.#rename(access, type, document, checkedKey(typeName, newId), options.asked)
      return { document: moved, ...this.#parts.renderer.render(type, moved) }
    })
  }

  async #rename(access: Access, type: ContentType, document: Document, to: Key, asked?: Asked): Promise<Document> {
    if (to.id === document.key.id) return document
    // An address is what a slug is for; the alias beside is Quire's doing.
    mustMayChange(access, type, ['slug'])
    const { store, clock } = this.#parts
    const slug = slugAfter(document, to)
    const planned: Head = { ...document, key: to, fields: { ...document.fields, slug } }
    const old = isLive(document.fields, type.statuses, clock.now()) ? urlOf(type, document) : null
    const set = old === null ? {} : withAlias(document, old, urlOf(type, planned))
    const unique = slug === document.fields.slug ? [] : [{ field: 'slug', value: slug }]
    const change = { key: to, from: document.key, put: { set }, expects: document.version, unique }
    const [moved] = await store.write([change], access.author, noteOf('moved', document.key, asked, ` to ${to.id}`))
    if (!moved) throw new Error('The store gave no document back for a move.')
    if (set.aliases === undefined || urlOf(type, moved) !== old) return moved
    // The file has a slug of its own after all, and its page stays where it is: an alias would lead from the page to itself.
    const undo = { key: to, put: { set: { aliases: document.fields.aliases ?? null } }, expects: moved.version }
    const [mended] = await store.write(
      [undo],
      access.author,
      noteOf('updated', to, asked?.request === undefined ? {} : { request: asked.request }),
    )
    return mended ?? moved
  }
}

/** A slug that is the id's last part most likely comes from it, and then goes with it. */
function slugAfter({ key, fields }: Document, to: Key): string {
  const slug = String(fields.slug)
  return slug === lastSegment(key.id) ? lastSegment(to.id) : slug
}

function withAlias({ fields }: Document, old: string, url: string | null): Fields {
  if (old === url) return {}
  const aliases = [fields.aliases ?? []].flat().filter((alias) => alias !== url && alias !== old)
  return { aliases: [...aliases, old] }
}
