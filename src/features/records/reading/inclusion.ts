import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import { type Kind, parseKey } from '#core/key.ts'
import { extentOf, narrowedTo } from '#core/queries/extent.ts'
import type { Condition } from '#core/queries/query.ts'
import { LIMITS } from '#core/rules/limits.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { type Fields, type Json, jsonLength } from '#lib/json.ts'
import type { Deps } from '../parts.ts'
import { type Inclusions, MOST_BYTES } from './omission.ts'
import { beyondBytes, present } from './present.ts'

/** The most references of a field that are answered as records. Those after them, which only a file can have, stay ids. */
const MOST_REFERENCES = LIMITS.items
/** Number of records that are read at once. */
const AT_ONCE = 100

/** A record that another one refers to, as far as the reader may see it. */
interface Included {
  readonly record: Fields
  readonly bodiless: Fields
  readonly tag: string
  /** Characters of the record without its body. */
  readonly length: number
}

/** The records of one type that are referred to, by the ids that the references have. */
interface Found {
  readonly records: ReadonlyMap<string, Included>
  /** True if their bodies alone are longer than an answer: then they have none. */
  readonly areBodiless: boolean
  /** True if they are longer than an answer without bodies: then not all of them are there. */
  readonly isTooLong: boolean
}

/** Names of included fields, with the type each refers to. */
export type Targets = ReadonlyMap<string, string>

const NOTHING: Found = { records: new Map(), areBodiless: false, isTooLong: false }

/** The records that those of an answer refer to: one level, each read once, however many refer to it. */
export class Inclusion implements Inclusions {
  readonly #targets: Targets
  readonly #found: ReadonlyMap<string, Found>

  private constructor(targets: Targets, found: ReadonlyMap<string, Found>) {
    this.#targets = targets
    this.#found = found
  }

  /** Reads the records that `documents` refer to; no more of them than an answer can have. */
  static async of(deps: Deps, access: Access, targets: Targets, documents: readonly Document[]): Promise<Inclusion> {
    const wanted = await wantedBy(targets, documents)
    const found = [...wanted].map(async ([kind, ids]) => [kind, await fetch(deps, access, kind, [...ids])] as const)
    return new Inclusion(targets, new Map(await Promise.all(found)))
  }

  get tooLong(): string[] {
    return [...this.#targets].flatMap(([name, to]) => (this.#found.get(to)?.isTooLong ? [name] : []))
  }

  get areBodiless(): boolean {
    return [...this.#found.values()].some((found) => found.areBodiless)
  }

  growth(name: string, value: Json): { length: number; bodies: number } {
    const sum = { length: 0, bodies: 0 }
    for (const id of referencesOf(value)) {
      const found = this.#record(name, id)
      if (!found) continue
      sum.length += found.length - jsonLength(id)
      sum.bodies += typeof found.record.body === 'string' ? found.record.body.length : 0
    }
    return sum
  }

  /**
   * Replaces the references of a field with the records they lead to; `onFound` gets what stands for each. A record that does not
   * exist for the reader stays an id, like a reference that leads nowhere.
   */
  replaced(name: string, value: Json, hasBodies: boolean, onFound: (tag: string) => void): Json {
    const one = (item: Json): Json => {
      const found = typeof item === 'string' ? this.#record(name, item) : undefined
      if (!found) return item
      onFound(found.tag)
      return hasBodies ? found.record : found.bodiless
    }
    return Array.isArray(value) ? value.map((item, n) => (n < MOST_REFERENCES ? one(item) : item)) : one(value)
  }

  #record(name: string, id: string): Included | undefined {
    return this.#found.get(this.#targets.get(name) ?? '')?.records.get(id)
  }
}

function referencesOf(value: Json | undefined): string[] {
  const items = Array.isArray(value) ? value.slice(0, MOST_REFERENCES) : [value]
  return items.filter((item) => typeof item === 'string')
}

/** The ids that documents refer to, by type. */
async function wantedBy(targets: Targets, documents: readonly Document[]): Promise<Map<string, Set<string>>> {
  const wanted = new Map<string, Set<string>>()
  const slices = new Slices()
  for (const { fields } of documents) {
    if (slices.isOver) await slices.pause()
    for (const [name, to] of targets) {
      const ids = wanted.get(to) ?? new Set()
      wanted.set(to, ids)
      for (const id of referencesOf(fields[name])) ids.add(id)
    }
  }
  return wanted
}

async function fetch(deps: Deps, access: Access, kind: Kind, ids: readonly string[]): Promise<Found> {
  if (!deps.types.get(kind) || !access.may('content:read', kind)) return NOTHING
  const records = new Map<string, Included>()
  const slices = new Slices()
  let [length, bodies] = [0, 0]
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    if (slices.isOver) await slices.pause()
    for (const [id, included, body] of await fetchSome(deps, access, kind, ids.slice(at, at + AT_ONCE))) {
      length += included.length
      bodies += body
      records.set(id, bodies > MOST_BYTES ? { ...included, record: included.bodiless } : included)
    }
    if (length > MOST_BYTES) return { ...NOTHING, areBodiless: true, isTooLong: true }
    if (bodies > MOST_BYTES) for (const [id, included] of records) records.set(id, { ...included, record: included.bodiless })
  }
  return { records, areBodiless: bodies > MOST_BYTES, isTooLong: false }
}

/** The records of these ids that the reader may see, each with its id and the length of its body. */
async function fetchSome(
  { store, types, clock }: Deps,
  access: Access,
  kind: Kind,
  ids: readonly string[],
): Promise<[string, Included, number][]> {
  const type = types.get(kind)
  const keys = ids.flatMap((id) => {
    const key = parseKey(kind, id)
    return key ? [[id, key.id] as const] : []
  })
  if (!type || keys.length === 0) return []
  const where: Condition[] = [{ field: 'id', op: 'in', value: keys.map(([, id]) => id), as: 'text' }]
  const { items } = await store.browse(kind, { where, ...narrowedTo(extentOf(access, kind)) })
  const found = new Map(items.map((document) => [document.key.id, document]))
  return keys.flatMap(([id, own]) => {
    const document = found.get(own)
    if (!document) return []
    const record = present(type, document, clock.now())
    const { body: _, ...bodiless } = record
    const tag = `${document.version}${beyondBytes(document, record)}`
    return [[id, { record, bodiless, tag, length: jsonLength(bodiless) }, document.body.length]]
  })
}
