import type { Document, Head } from '#core/document.ts'
import { type Key, keyText } from '#core/key.ts'
import type { Change, Put } from '#core/store.ts'
import type { Field } from '#core/types/content-type.ts'
import { rewritten } from '#core/types/fields.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Relinking } from './relinking.ts'

interface Step {
  readonly head: Head
  readonly put: Put
}

/** A change of what leads to a record; with the text of its key where the reader may know of it. */
export interface Other {
  readonly change: Change
  readonly name: string | undefined
}

/** The changes needed after a record moves, one for each document, collected from everything that affects it. */
export class Following {
  readonly #steps = new Map<string, Step>()
  readonly #menus: { readonly head: Head; readonly change: Change }[] = []
  readonly #left = new Map<string, Head>()

  /** A field in which references, at any depth, name the record that is moved names it by its new id. */
  refer(head: Head, field: Field, { from, to }: { from: Key; to: Key }): void {
    const isIts = (one: Field, id: Json) => one.type === 'reference' && one.to === from.kind && id === from.id
    const made = rewritten(field, this.fieldsOf(head)[field.name], (one, id) => (isIts(one, id) ? to.id : undefined))
    const put = this.#steps.get(keyText(head.key))?.put
    if (made !== undefined) this.#put(head, { ...put, set: { ...put?.set, [field.name]: made } })
  }

  /** Returns the fields of a record as they will be. */
  fieldsOf(head: Head): Readonly<Fields> {
    return { ...head.fields, ...this.#steps.get(keyText(head.key))?.put.set }
  }

  /** A record's links. */
  follow(document: Document, relinking: Relinking | undefined): void {
    if (!relinking) return
    if (!relinking.isSure) this.leave(document)
    if (Object.keys(relinking.put).length === 0) return
    const put = this.#steps.get(keyText(document.key))?.put
    const set: Fields = { ...put?.set, ...relinking.put.set }
    this.#put(document, { ...relinking.put, ...(Object.keys(set).length > 0 && { set }) })
  }

  /** A menu's items; null where they have to stay. */
  lead(menu: Head, change: Change | null | undefined): void {
    if (change === null) this.leave(menu)
    else if (change) this.#menus.push({ head: menu, change })
  }

  /** Marks a document that has to stay as it is. */
  leave(head: Head): void {
    this.#left.set(keyText(head.key), head)
  }

  /** All of it; what the reader may know of, `isKnown`, is named. */
  result(isKnown: (head: Head) => boolean): { others: Other[]; left: string[] } {
    const nameOf = (head: Head) => (isKnown(head) ? keyText(head.key) : undefined)
    const records = [...this.#steps.values()].map(({ head, put }) => ({
      change: { key: head.key, put, expects: head.version },
      name: nameOf(head),
    }))
    const menus = this.#menus.map(({ head, change }) => ({ change, name: nameOf(head) }))
    return { others: [...records, ...menus], left: [...this.#left.values()].flatMap((head) => nameOf(head) ?? []) }
  }

  #put(head: Head, put: Put): void {
    this.#steps.set(keyText(head.key), { head, put })
  }
}
