import { OWN_KEYS } from '#core/format/names.ts'
import { kindFault } from '#core/key.ts'
import { PERMALINK_PLACEHOLDERS, TAKEN_SEGMENTS } from '#core/permalink.ts'
import { isClockStatus } from '#core/status.ts'
import { COMPUTED_FIELDS, PATH_PLACEHOLDERS } from '#core/types/content-type.ts'
import { typeFault } from '#core/types/types.ts'
import { isDraftWord, nameInQuire } from '#frontmatter/other-tools.ts'
import { type Fault, keyFault, valueFault } from '../faults.ts'
import type { Config, TypeConfig } from '../schema.ts'
import type { KeyPath } from '../source.ts'
import { keyHint } from '../words.ts'
import { fieldFaults } from './fields.ts'
import { knownFields, takesOthers } from './known-fields.ts'

/**
 * Finds the semantic problems in `statuses`, `taxonomies` and `types`, once they match the schema. `known` are the types that are
 * declared or have a folder.
 */
export function contentFaults(config: Config, known: ReadonlySet<string>): Fault[] {
  const own = [...statusFaults(config), ...taxonomyFaults(config)]
  const types = Object.entries(config.types).flatMap(([name, type]) => typeFaults(config, name, type, known))
  return [...own, ...types]
}

function statusFaults({ statuses }: Config): Fault[] {
  const names = Object.keys(statuses)
  const faults: Fault[] = []
  for (const [name, status] of Object.entries(statuses)) {
    if (!/^[a-z][a-z0-9_]*$/.test(name))
      faults.push(keyFault(['statuses', name], ': a status is named with small letters, digits and _.'))
    if (isClockStatus(name))
      faults.push(keyFault(['statuses', name], ' is what the clock makes of a live status: choose another name.'))
    for (const [index, to] of status.to.entries()) {
      if (!names.includes(to)) faults.push(unknown(['statuses', name, 'to', index], 'status', to, names))
    }
  }
  if (!Object.values(statuses).some((status) => status.live))
    faults.push(keyFault(['statuses'], ': none of them is live.', 'Write `live: true` in one.'))
  if (!statuses.draft || statuses.draft.live) {
    faults.push(keyFault(['statuses'], ': "draft" must be there and not live, for new records begin with it.'))
  }
  return faults
}

function taxonomyFaults({ taxonomies }: Config): Fault[] {
  const faults: Fault[] = []
  const taken = new Map<string, string>()
  for (const [name, { singular }] of Object.entries(taxonomies)) {
    const path = ['taxonomies', name]
    const fault = kindFault(name) ?? nameFault(name)
    if (fault) faults.push(keyFault(path, `: the name ${fault}.`))
    const wrong = kindFault(singular) ?? nameFault(singular)
    if (wrong) faults.push(valueFault([...path, 'singular'], `${wrong}.`))
    for (const word of new Set([name, singular])) {
      const other = taken.get(word)
      if (other) faults.push(keyFault(path, `: "${word}" is a name of ${other} too.`))
      taken.set(word, name)
    }
  }
  return faults
}

const OWN_NAMES: readonly string[] = [
  ...COMPUTED_FIELDS,
  'title',
  'slug',
  'status',
  'body',
  'author',
  'published_at',
  'expires_at',
]

function nameFault(name: string): string | undefined {
  if (TAKEN_SEGMENTS.has(name)) return 'is the first part of addresses that belong to Quire itself'
  return OWN_NAMES.includes(name) ? 'is a field of every record' : undefined
}

function typeFaults(config: Config, name: string, type: TypeConfig, known: ReadonlySet<string>): Fault[] {
  const path = ['types', name]
  const fault = typeFault(name)
  if (fault) return [keyFault(path, `: the name ${fault}.`, 'Give the type, and its folder, another name.')]
  const { statuses, taxonomies } = config
  const faults = [...templateFaults(path, type), ...mapFaults(path, type)]
  const status = type.default_status
  if (status !== undefined && !Object.hasOwn(statuses, status)) {
    faults.push(unknown([...path, 'default_status'], 'status', status, Object.keys(statuses)))
  }
  for (const [index, kind] of (type.taxonomies ?? []).entries()) {
    if (!Object.hasOwn(taxonomies, kind))
      faults.push(unknown([...path, 'taxonomies', index], 'taxonomy', kind, Object.keys(taxonomies)))
  }
  const fields = Object.entries(type.fields).flatMap(([field, input]) => fieldFaults(config, name, field, input, known))
  if (fields.length > 0) return [...faults, ...fields]
  return [...faults, ...sortFaults(config, name, type), ...columnFaults(config, name, type)]
}

function templateFaults(path: KeyPath, type: TypeConfig): Fault[] {
  const faults: Fault[] = []
  const { permalink, path: layout } = type
  if (typeof permalink === 'string') {
    if (!permalink.startsWith('/'))
      faults.push(valueFault([...path, 'permalink'], 'must begin with "/".', `Write "/${permalink}".`))
    faults.push(...placeholderFaults([...path, 'permalink'], permalink, PERMALINK_PLACEHOLDERS))
    if (TAKEN_SEGMENTS.has(permalink.split('/')[1] ?? ''))
      faults.push(valueFault([...path, 'permalink'], 'leads to an address that belongs to Quire itself.'))
  }
  if (layout === null) return faults
  faults.push(...placeholderFaults([...path, 'path'], layout, PATH_PLACEHOLDERS))
  const made = layout.replaceAll(/\{[a-z]+\}/g, 'x').split('/')
  const wrong = made.map((segment) => kindFault(segment)).find((text) => text !== undefined)
  if (wrong) faults.push(valueFault([...path, 'path'], `${wrong}.`))
  return faults
}

function placeholderFaults(path: KeyPath, template: string, known: readonly string[]): Fault[] {
  const wrong = [...template.matchAll(/\{([^}]*)\}?/g)].find(([all, name]) => !all.endsWith('}') || !known.includes(name ?? ''))
  if (!wrong) return []
  const all = known.map((name) => `{${name}}`)
  return [valueFault(path, `has the unknown placeholder "${wrong[0]}".`, keyHint(wrong[0], all, 'There are'))]
}

function mapFaults(path: KeyPath, type: TypeConfig): Fault[] {
  return Object.entries(type.map).flatMap(([key, target]) =>
    targetFaults([...path, 'map', key], target, Object.hasOwn(type.fields, target)),
  )
}

/** A word of other tools is one as a key of a file only: what is mapped to it would be a field that keeps nothing from the public. */
function targetFaults(path: KeyPath, target: string, isDeclared: boolean): Fault[] {
  if (OWN_KEYS.includes(target)) return [valueFault(path, `can't be "${target}", which is not read from front matter.`)]
  const isDraft = isDraftWord(target, true)
  const meant = isDraft ? 'status' : nameInQuire(target, undefined)
  if (meant === undefined || meant === target || (isDeclared && meant === 'aliases')) return []
  const hint = isDraft ? 'Write status, whose values are those of statuses; or write draft in the files.' : `Write ${meant}.`
  return [valueFault(path, `can't be "${target}", which is no field.`, hint)]
}

/** The fields a list of the type can be sorted by are known only where it takes no others. */
function sortFaults(config: Config, name: string, type: TypeConfig): Fault[] {
  const path = ['types', name, 'sort']
  const parts = type.sort.split(',').map((part) => part.trim().replace(/^-/, ''))
  if (parts.length > 5) return [valueFault(path, 'must name at most 5 fields.')]
  const known = knownFields(config, name)
  const wrong = parts.find((part) => part === '' || (!takesOthers(type) && !known.includes(part)))
  return wrong === undefined ? [] : [unknown(path, 'field', wrong, known)]
}

function columnFaults(config: Config, name: string, type: TypeConfig): Fault[] {
  if (takesOthers(type)) return []
  const known = knownFields(config, name)
  return type.columns.flatMap((column, index) =>
    known.includes(column) ? [] : [unknown(['types', name, 'columns', index], 'field', column, known)],
  )
}

function unknown(path: KeyPath, what: string, name: string, known: readonly string[]): Fault {
  return valueFault(path, `names the ${what} "${name}", which is not there.`, keyHint(name, known, 'There are'))
}
