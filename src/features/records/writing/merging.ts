import type { Document } from '#core/document.ts'
import { merge } from '#frontmatter/merge.ts'
import { Conflict } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Sent } from './input.ts'

/**
 * Returns the values to set on `document` so that both the sent ones, which started from `base`, and the changes made since are
 * kept. Throws Conflict with the three sides of each overlap. If the base is no longer known, every sent value that differs from
 * the current one counts as an overlap.
 */
export function mergeSent(sent: Sent, base: Document | undefined, document: Document): Sent {
  if (base === document) return sent
  const yours = sidesOf(sent)
  if (!base) {
    const names = Object.keys(yours).filter((name) => !same(yours[name] ?? null, held(document, name)))
    if (names.length === 0) return { fields: {} }
    throw overlap(names, null, yours, document)
  }
  const { fields, body, conflicts } = merge(base, sent, document)
  if (conflicts.length > 0) throw overlap(conflicts, base, yours, document)
  const { termNames } = sent
  return { fields, ...(body !== undefined && { body }), ...(termNames && { termNames }) }
}

function overlap(names: readonly string[], base: Document | null, yours: Fields, theirs: Document): Conflict {
  const message = base
    ? `Others changed the same since you began: ${names.join(', ')}.`
    : 'The version you began from is not known any more, and the record has changed since.'
  return new Conflict(message, {
    fields: [...names],
    base: base && pick(names, (name) => held(base, name)),
    yours: pick(names, (name) => yours[name] ?? null),
    theirs: pick(names, (name) => held(theirs, name)),
  })
}

function sidesOf({ fields, body }: Sent): Fields {
  return body === undefined ? fields : { ...fields, body }
}

function held(document: Document, name: string): Json {
  return name === 'body' ? document.body : (document.fields[name] ?? null)
}

function pick(names: readonly string[], value: (name: string) => Json): Fields {
  return Object.fromEntries(names.map((name) => [name, value(name)]))
}

function same(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
