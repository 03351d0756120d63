import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { targetOf } from '#core/types/fields.ts'
import { shortHash } from '#http/answers/etag.ts'
import type { Fields } from '#lib/json.ts'
import type { Deps, Part } from '../parts.ts'
import { Inclusion, type Targets } from './inclusion.ts'
import type { Unmade } from './omission.ts'
import { type Selection, WHOLE } from './parameters.ts'
import { beyondBytes, present, presentAt } from './present.ts'

/** Makes the parts of an answer: whole records as they are kept, others with some fields or with what they refer to. */
export class Selector {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Reads what the parts of an answer are made of. `then` gives the time that a record's status is read at, where it isn't now.
   */
  async select(
    access: Access,
    type: ContentType,
    documents: readonly Document[],
    asked: Selection,
    then?: (document: Document) => number,
  ): Promise<Unmade> {
    const targets = targetsOf(type, asked)
    const inclusion = targets.size > 0 ? await Inclusion.of(this.#deps, access, targets, documents) : undefined
    const make = (selection: Selection): Part[] => {
      const chosen = { selection, targets: targetsOf(type, selection), inclusion }
      if (selection !== WHOLE) return documents.map((document) => this.#part(type, chosen, document, then?.(document)))
      return documents.map((document) => (then ? pastPart(type, document, then(document)) : this.#whole(type, document)))
    }
    return { documents, inclusion, make }
  }

  #whole(type: ContentType, document: Document): Part {
    const { json, etag, term } = this.#deps.renderer.render(type, document)
    return { json, tag: etag, until: term.until }
  }

  #part(type: ContentType, { selection, targets, inclusion }: Chosen, document: Document, then: number | undefined): Part {
    const now = this.#deps.clock.now()
    const record = present(type, document, then ?? now)
    // Data of the history beside the bytes is all in the record.
    const tags = [document.version, then === undefined ? beyondBytes(document, record) : shortHash(JSON.stringify(record))]
    const hasBodies = !selection.omitted?.includes('body')
    for (const name of targets.keys()) {
      const replaced = inclusion?.replaced(name, record[name] ?? null, hasBodies, (tag) => tags.push(tag))
      record[name] = replaced ?? null
    }
    const answer = selection.fields ? pick(record, selection.fields) : record
    for (const name of selection.omitted ?? []) delete answer[name]
    // Made for one answer, and not kept.
    return { json: Buffer.from(JSON.stringify(answer)), tag: tags.join(''), until: now }
  }
}

/** The choice of what is answered of each record. */
interface Chosen {
  readonly selection: Selection
  readonly targets: Targets
  readonly inclusion: Inclusion | undefined
}

function pastPart(type: ContentType, document: Document, then: number): Part {
  const { json, etag } = presentAt(type, document, then)
  return { json, tag: etag, until: Number.NEGATIVE_INFINITY }
}

/** The references of a selection that are answered as records. */
function targetsOf(type: ContentType, { fields, include, omitted }: Selection): Targets {
  const answered = include.filter((name) => (fields?.includes(name) ?? true) && !omitted?.includes(name))
  return new Map(
    answered.flatMap((name) => {
      const field = type.fields.get(name)
      const to = field && targetOf(field)
      return to === undefined ? [] : [[name, to]]
    }),
  )
}

function pick(record: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, Object.hasOwn(record, name) ? (record[name] ?? null) : null]))
}
