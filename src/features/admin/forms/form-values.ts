import { UNSAFE_KEYS } from '#frontmatter/fault.ts'
import { nameParts } from '#http/requests/url-encoded.ts'
import { BadRequest } from '#lib/errors.ts'

/** A value as a form sends it: a text, or those that its bracketed names make lists and objects of. */
export type FormValue = string | readonly FormValue[] | FormFields

/**
 * Values that a form sent by name, without a prototype. `tags[]` makes a list, `gallery[0][alt]` objects. Of a name that has both, the
 * list is under the key ''.
 */
export interface FormFields {
  readonly [name: string]: FormValue
}

/** Most levels of a name. */
const MOST_LEVELS = 32
/** Most characters of a name. */
const LONGEST = 4000
/** Longest part of a name that is shown in a message. */
const LONGEST_NAME = 200

/** Most lists and objects of a form. */
const MOST_GROUPS = 10_000

/** A list or an object as it is gathered: texts that were appended (`tags[]`), and parts by name. */
interface Group {
  readonly appended: string[]
  readonly parts: Map<string, string | Group>
}

/** A form as it is gathered. */
interface Gathering {
  readonly root: Group
  groups: number
}

/**
 * Returns what bracketed names stand for. Of a name that comes twice, the last one counts. Throws BadRequest for a name that is
 * malformed, over 32 levels deep, one of over 10,000 lists and objects, a text and an object at once, or has a part that objects inherit.
 */
export function formValues(pairs: Iterable<readonly [name: string, value: string]>): FormFields {
  const form: Gathering = { root: { appended: [], parts: new Map() }, groups: 0 }
  for (const [name, value] of pairs) put(form, name, value)
  return fieldsIn(form.root)
}

function put(form: Gathering, name: string, value: string): void {
  if (name.length > LONGEST) throw new BadRequest(`A name in the form has more than ${LONGEST} characters.`)
  const parts = nameParts(name)
  const last = parts?.at(-1)
  if (!parts || last === undefined || parts.slice(0, -1).includes('') || name.includes('\0') || name === '')
    throw new BadRequest(`The name "${short(name)}" of a field is not of the form name, name[part] or name[].`)
  if (parts.length > MOST_LEVELS) throw new BadRequest(`The form is nested more than ${MOST_LEVELS} levels deep.`)
  const unsafe = parts.find((part) => UNSAFE_KEYS.has(part))
  if (unsafe !== undefined) throw new BadRequest(`The names ${[...UNSAFE_KEYS].join(', ')} are not allowed in a form.`)
  let group = form.root
  for (const part of parts.slice(0, -1)) group = groupAt(form, group, part, name)
  if (last === '') group.appended.push(value)
  else if (typeof group.parts.get(last) === 'object') throw both(name)
  else group.parts.set(last, value)
}

function groupAt(form: Gathering, { parts }: Group, part: string, name: string): Group {
  const known = parts.get(part)
  if (typeof known === 'string') throw both(name)
  if (known) return known
  if (++form.groups > MOST_GROUPS) throw new BadRequest(`The form has more than ${MOST_GROUPS} lists and objects.`)
  const group = { appended: [], parts: new Map() }
  parts.set(part, group)
  return group
}

function both(name: string): BadRequest {
  return new BadRequest(`The form has "${short(name)}" as a value and as an object at once.`)
}

function short(name: string): string {
  return name.slice(0, LONGEST_NAME).replaceAll(/\p{Cc}/gu, '\uFFFD')
}

/** No deeper than names are. */
function fieldsIn({ parts, appended }: Group): FormFields {
  const fields = Object.create(null) as Record<string, FormValue>
  if (appended.length > 0) fields[''] = appended
  for (const [name, part] of parts) fields[name] = typeof part === 'string' ? part : treeOf(part)
  return fields
}

function treeOf(group: Group): FormValue {
  return group.parts.size === 0 ? group.appended : fieldsIn(group)
}
