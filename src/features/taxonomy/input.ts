import { idFault } from '#core/key.ts'
import { MOST_NAME } from '#core/terms/names.ts'
import { termId } from '#core/terms/terms.ts'
import type { ContentTypes, Taxonomy } from '#core/types/content-type.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { isLonger } from '#lib/text/characters.ts'
import { nearest } from '#lib/text/nearest.ts'
import { composed } from '#lib/text/normal-form.ts'
import { noTaxonomy, taxonomyNamed } from './kinds.ts'
import type { TermView } from './schema.ts'

/**
 * The input for a term. An absent field stays as it is, null empties it. The parent is an id, whatever it was called in the
 * request.
 */
export interface TermInput {
  readonly name?: string
  readonly description?: string | null
  readonly parent?: string | null
  /** The id it is to have. */
  readonly id?: string
}

/** A term to be made. */
export interface NewTerm extends TermInput {
  readonly taxonomy: Taxonomy
  readonly name: string
  readonly id: string
}

const MOST_ID = 100
const MOST_DESCRIPTION = 10_000
/** Fields that Quire computes: sent back unchanged they are ignored, changed they are rejected. */
const COMPUTED: ReadonlySet<string> = new Set(['id', 'type', 'count', 'declared'])
const FIELDS = ['name', 'slug', 'description', 'parent'] as const

/** Checks and reads a term to be made; throws InvalidInput with all that is wrong. */
export function readNewTerm(types: ContentTypes, { type, ...input }: Fields): NewTerm {
  const errors: FieldErrors = {}
  const taxonomy = typeof type === 'string' ? taxonomyNamed(types, type) : undefined
  if (type === undefined || type === null) errors.type = ['The type is required: a taxonomy, such as "tag".']
  else if (!taxonomy) errors.type = [noTaxonomy(types, typeof type === 'string' ? type : JSON.stringify(type))]
  if (input.name === undefined || input.name === null) errors.name = ['The name is required.']
  const sent = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
  const read = readFields(sent, taxonomy, errors)
  // Of what is too long nothing is made.
  const id = read.id ?? (errors.name ? '' : termId(read.name ?? ''))
  if (!errors.name && !errors.slug) checkMade(id, errors)
  if (!taxonomy || read.name === undefined || Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return { ...read, taxonomy, name: read.name, id }
}

/**
 * Checks and reads what is to change of a term; what is sent as it is shown is left out. Throws InvalidInput with all that is
 * wrong.
 */
export function readTermChange(taxonomy: Taxonomy, input: Fields, shown: TermView): TermInput {
  const errors: FieldErrors = {}
  const known: Readonly<Record<string, Json>> = { ...shown }
  const isSame = (name: string, value: Json) => value === known[name] || (name === 'type' && value === taxonomy.name)
  const changed = Object.entries(input).filter(([name, value]) => !isSame(name, value))
  for (const [name] of changed) {
    if (COMPUTED.has(name))
      errors[name] = [`The ${name} can not be set.${name === 'id' ? ' Send a slug to give the term another id.' : ''}`]
  }
  const read = readFields(Object.fromEntries(changed.filter(([name]) => !COMPUTED.has(name))), taxonomy, errors)
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return read
}

function readFields(input: Fields, taxonomy: Taxonomy | undefined, errors: FieldErrors): TermInput {
  for (const name of Object.keys(input)) if (!FIELDS.some((field) => field === name)) errors[name] = [noField(name)]
  const { name, slug, description, parent } = input
  if (name !== undefined) checkText('name', name, MOST_NAME, errors)
  if (description !== undefined && description !== null) checkText('description', description, MOST_DESCRIPTION, errors)
  if (slug !== undefined) checkSlug(slug, errors)
  if (parent !== undefined && parent !== null) checkParent(parent, taxonomy, errors)
  return {
    ...(typeof name === 'string' && { name: name.trim() }),
    ...(description !== undefined && { description: typeof description === 'string' && description !== '' ? description : null }),
    ...(parent !== undefined && { parent: typeof parent === 'string' && !errors.parent ? termId(parent) : null }),
    ...(typeof slug === 'string' && { id: composed(slug) }),
  }
}

function noField(name: string): string {
  const near = nearest(name, ['type', ...FIELDS])
  return `There is no field "${name}". ${near ? `Did you mean "${near}"?` : `Known are type, ${FIELDS.join(', ')}.`}`
}

function checkText(field: 'name' | 'description', value: Json, most: number, errors: FieldErrors): void {
  if (typeof value !== 'string') errors[field] = [`The ${field} must be a text.`]
  else if (field === 'name' && value.trim() === '') errors[field] = ['The name must not be empty.']
  else if (field === 'name' && /\p{Cc}/u.test(value)) errors[field] = ['The name must be on one line.']
  else if (isLonger(value, most)) errors[field] = [`The ${field} must not be longer than ${most} characters.`]
}

/** Records mean a term by what `termId` makes of its name: another id would never be used. */
function checkSlug(slug: Json, errors: FieldErrors): void {
  if (typeof slug === 'string' && isLonger(slug, MOST_ID)) {
    errors.slug = [`The slug has more than ${MOST_ID} characters.`]
    return
  }
  const made = typeof slug === 'string' ? termId(slug) : ''
  if (typeof slug !== 'string' || slug === '') errors.slug = ['The slug must be a text that is not empty.']
  else if (made !== composed(slug))
    errors.slug = [`The slug "${slug}" can't be the id of a term.${made ? ` "${made}" can.` : ''}`]
  else if (faultOf(made) !== undefined) errors.slug = [`The slug ${faultOf(made)}.`]
}

function checkParent(parent: Json, taxonomy: Taxonomy | undefined, errors: FieldErrors): void {
  if (typeof parent !== 'string' || parent === '' || isLonger(parent, MOST_NAME))
    errors.parent = ['The parent must be the id of a term.']
  else if (taxonomy && !taxonomy.hierarchical) errors.parent = [`The ${taxonomy.name} are not nested: they have no parents.`]
}

/** Of a name alone there may be no id. */
function checkMade(id: string, errors: FieldErrors): void {
  if (id === '') errors.name = ['The name has neither letters nor digits: send a slug.']
  else if (faultOf(id) !== undefined) errors.name = [`The name makes the id "${id}", which ${faultOf(id)}: send a slug.`]
}

function faultOf(id: string): string | undefined {
  return isLonger(id, MOST_ID) ? `has more than ${MOST_ID} characters` : idFault(id)
}
