import { SCOPES } from '#core/access/access.ts'
import { isFieldType } from '#core/types/custom-types.ts'
import { LIQUID_FILTERS, LIQUID_TAGS } from '#liquid/names.ts'
import type { ModuleDefinition } from '#module/module.ts'
import { SITE_FILTERS } from '../../site-filters.ts'
import { PANEL_GROUPS } from '../panel/groups.ts'

/** The names of filters, tags and types of fields. */
const NAME = /^[a-z][a-z0-9_]{0,63}$/
const FIELD_TYPE = /^[a-z][a-z0-9_-]{0,63}$/
/** The names of pages and resources, which are in addresses, and of the pages' files. */
const ADDRESS = /^[a-z0-9][a-z0-9_-]{0,63}$/
const FILE = /^[a-z0-9][a-z0-9_-]{0,63}\.[a-z0-9]{1,10}$/

/** Returns the reason why what a module adds to templates, fields and the panel can't have these names, as a sentence. */
export function addedFault({ filters, tags, fieldTypes, pages, resources, cards }: ModuleDefinition): string | undefined {
  return (
    templateFault('filter', Object.keys(filters ?? {}), (name) => LIQUID_FILTERS.has(name) || SITE_FILTERS.has(name)) ??
    templateFault('tag', Object.keys(tags ?? {}), (name) => LIQUID_TAGS.has(name)) ??
    fieldTypeFault(fieldTypes ?? {}) ??
    panelFault(pages ?? [], resources ?? [], cards ?? [])
  )
}

function templateFault(what: string, names: readonly string[], isTaken: (name: string) => boolean): string | undefined {
  const odd = names.find((name) => !NAME.test(name))
  if (odd !== undefined) return `"${odd}" can't be the name of a ${what}: small letters, digits and _.`
  const taken = names.find(isTaken)
  return taken === undefined ? undefined : `It declares the ${what} "${taken}", which is one of Quire's own.`
}

function fieldTypeFault(types: NonNullable<ModuleDefinition['fieldTypes']>): string | undefined {
  for (const [name, { base }] of Object.entries(types)) {
    if (!FIELD_TYPE.test(name)) return `"${name}" can't be the name of a field type: small letters, digits, _ and -.`
    if (isFieldType(name)) return `It declares the field type "${name}", which is one of Quire's own.`
    if (!isFieldType(base)) return `Its field type "${name}" is made of "${base}", and there is no such type.`
  }
  return undefined
}

function panelFault(
  pages: NonNullable<ModuleDefinition['pages']>,
  resources: NonNullable<ModuleDefinition['resources']>,
  cards: NonNullable<ModuleDefinition['cards']>,
): string | undefined {
  const placed = [...pages, ...resources]
  const names = placed.map(({ name }) => name)
  const odd = names.find((name) => !ADDRESS.test(name))
  if (odd !== undefined) return `"${odd}" can't be the name of a page or a resource: small letters, digits, _ and -.`
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return `Two of its pages and resources have the name "${twice}".`
  const lost = placed.find(({ group }) => !Object.hasOwn(PANEL_GROUPS, group))
  if (lost) return `"${lost.name}" is in the group "${lost.group}", and there are ${Object.keys(PANEL_GROUPS).join(', ')}.`
  const scope = [...placed, ...cards].find(({ scope }) => scope !== undefined && !(SCOPES as readonly string[]).includes(scope))
  if (scope) return `"${scope.name}" asks for the right "${scope.scope}", and there is none of that name.`
  const file = pages.flatMap(({ files = {} }) => Object.keys(files)).find((name) => !FILE.test(name))
  return file === undefined ? undefined : `"${file}" can't be the name of a file of a page: views.csv could.`
}
