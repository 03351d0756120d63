import type { Document, Head } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import type { Change, Put } from '#core/store.ts'
import type { Fields } from '#lib/json.ts'
import { mapped, type Relinking } from './relinking.ts'

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

  /** A field that names the record by its id names another. */
  refer(head: Head, field: string, from: string, to: string): void {
    const put = this.#steps.get(keyText(head.key))?.put
    const made = mapped(head.fields[field], (id) => (id === from ? to : undefined))
    if (made !== undefined) this.#put(head, { ...put, set: { ...put?.set, [field]: made } })
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
