import { Inspection } from '#core/rules/inspection.ts'
import { LIMITS } from '#core/rules/limits.ts'
import { parseRules } from '#core/rules/parse.ts'
import { COMPUTED_FIELDS, FIELD_TYPE_NAMES, MULTIPLE_TYPES } from '#core/types/content-type.ts'
import { customField, isFieldType, type NamedFieldInput } from '#core/types/custom-types.ts'
import { typeFault } from '#core/types/types.ts'
import type { Json } from '#lib/json.ts'
import { nearest } from '#lib/text/nearest.ts'
import { type Fault, keyFault, valueFault } from '../faults.ts'
import type { Config } from '../schema.ts'
import type { KeyPath } from '../source.ts'

const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_-]{0,63}$/u
const UNSAFE: readonly string[] = ['__proto__', 'constructor', 'prototype']

/** Rules that only a field of the record itself can keep: they ask for another field, or of all other records. */
const OF_RECORDS: readonly string[] = ['unique', 'confirmed']

/** A field, where it stands, and the types there are. */
export interface Declared {
  readonly path: KeyPath
  readonly name: string
  readonly field: NamedFieldInput
  readonly known: ReadonlySet<string>
  /** 1 for a field of a record, 2 for what is in its values. */
  readonly level: number
  /** Set for a setting, which is in no record. */
  readonly isSetting?: true
  /** Set where modules may bring more types of fields: they are not loaded yet. */
  readonly hasModules?: boolean
}

const NO_TYPES = new Map()

/** Finds the problems of one field of a declared type, and of those that are declared within it. */
export function fieldFaults(
  config: Config,
  type: string,
  name: string,
  field: NamedFieldInput,
  known: ReadonlySet<string>,
): Fault[] {
  const path = ['types', type, 'fields', name]
  const fault = nameFault(config, type, name)
  if (fault) return [keyFault(path, `: ${fault}.`)]
  const hasModules = config.features.modules && config.modules.enabled.length > 0
  return declaredFaults({ path, name, field, known, level: 1, hasModules }, config.types[type]?.additional_fields === true)
}

/** Finds the problems of a field, and of those that are declared within it; `takesOthers`: objects take keys that are not declared. */
export function declaredFaults(declared: Declared, takesOthers: boolean): Fault[] {
  const { path, name, field } = declared
  if (declared.level > LIMITS.depth + 1)
    return [keyFault(path, `: records hold nothing that is nested more than ${LIMITS.depth} levels deep.`)]
  if (!isFieldType(field.type)) return declared.hasModules ? ruleFaults(declared) : [noType([...path, 'type'], field.type)]
  const faults = ruleFaults(declared)
  faults.push(...targetFaults(declared), ...optionFaults(path, field), ...misplaced(path, field))
  if (faults.length === 0) faults.push(...partFaults(declared, takesOthers))
  return faults.length > 0 ? faults : defaultFaults(path, name, field, takesOthers)
}

/** The fault of a type that there is not; `others` are those that modules bring. */
export function noType(path: KeyPath, type: string, others: Iterable<string> = []): Fault {
  const all = [...FIELD_TYPE_NAMES, ...others]
  const near = nearest(type, all)
  return valueFault(path, `must be one of ${all.join(', ')}.`, near && `Did you mean "${near}"?`)
}

/** The problems of what a list or an object holds. */
function partFaults({ path, name, field, level, ...all }: Declared, takesOthers: boolean): Fault[] {
  const item = field.of && declaredFaults({ ...all, path: [...path, 'of'], name, field: field.of, level: level + 1 }, takesOthers)
  const parts = Object.entries(field.fields ?? {}).flatMap(([name, part]) => {
    const at = [...path, 'fields', name]
    const fault = wordFault(name)
    return fault
      ? [keyFault(at, `: ${fault}.`)]
      : declaredFaults({ ...all, path: at, name, field: part, level: level + 1 }, takesOthers)
  })
  return [...(item ?? []), ...parts]
}

/** Keys that say something of one type of field only. */
function misplaced(path: KeyPath, { type, of, fields, multiple, accept }: NamedFieldInput): Fault[] {
  const faults: Fault[] = []
  if (of && type !== 'list') faults.push(keyFault([...path, 'of'], ': only a field of the type list says what its items are.'))
  if (fields && type !== 'object')
    faults.push(
      keyFault(
        [...path, 'fields'],
        ': only a field of the type object has fields.',
        type === 'list' ? 'Write `of: { type: object, fields: … }`.' : undefined,
      ),
    )
  if (multiple && !(MULTIPLE_TYPES as readonly string[]).includes(type))
    faults.push(
      keyFault(
        [...path, 'multiple'],
        ': only a field of the type select, reference or media can be a list of values.',
        `Write \`type: list\` and \`of: { type: ${type} }\`.`,
      ),
    )
  if (accept && type !== 'media') faults.push(keyFault([...path, 'accept'], ': only a field of the type media takes files.'))
  return faults
}

function wordFault(name: string): string | undefined {
  return !NAME.test(name) || UNSAFE.includes(name)
    ? 'a field is named with letters, digits, _ and -, and begins with a letter'
    : undefined
}

function nameFault(config: Config, type: string, name: string): string | undefined {
  const fault = wordFault(name)
  if (fault) return fault
  if (COMPUTED_FIELDS.includes(name)) return 'Quire computes this field itself; it can not be declared'
  if (name === 'own') return 'it holds keys of files that are names of what Quire makes; it can not be declared'
  if (name === 'status') return 'the statuses are declared under "statuses", for all types'
  const terms = config.types[type]?.taxonomies ?? Object.keys(config.taxonomies)
  return terms.includes(name) ? 'this is a taxonomy of the type; it needs no declaration as a field' : undefined
}

function ruleFaults({ path, field, known, level, isSetting }: Declared): Fault[] {
  const at = [...path, 'rules']
  const list = typeof field.rules === 'string' ? [field.rules] : (field.rules ?? [])
  return list.flatMap((text, index) => {
    const place = typeof field.rules === 'string' ? at : [...at, index]
    const { rules, fault } = parseRules(typeof field.rules === 'string' ? text : [text])
    if (fault) return [valueFault(place, `can't be read. ${fault}`)]
    const ofRecords = level > 1 || isSetting ? rules.find(({ name }) => OF_RECORDS.includes(name)) : undefined
    if (ofRecords)
      return [
        valueFault(
          place,
          `has the rule "${ofRecords.name}", which is for fields of a record, not for ${isSetting ? 'a setting' : 'what is in a list or an object'}.`,
        ),
      ]
    return rules
      .filter((rule) => rule.name === 'unique' || rule.name === 'exists')
      .flatMap((rule) => typeNameFaults(place, rule.argument?.split(',')[0]?.trim() ?? '', known))
  })
}

function targetFaults({ path, field, known }: Declared): Fault[] {
  if (field.type !== 'reference') {
    return field.to === undefined ? [] : [keyFault([...path, 'to'], ': only a field of the type reference points to a type.')]
  }
  if (field.to === undefined) return [keyFault(path, ': a reference needs the type it points to.', 'Write `to: <type>`.')]
  return typeNameFaults([...path, 'to'], field.to, known)
}

/** A type that is neither declared nor has a folder may still come; one that is nearly another's name is a slip. */
function typeNameFaults(path: KeyPath, name: string, known: ReadonlySet<string>): Fault[] {
  if (known.has(name)) return []
  const fault = typeFault(name)
  if (fault) return [valueFault(path, `names the type "${name}", which ${fault}.`)]
  const near = nearest(name, known)
  return near ? [valueFault(path, `names the type "${name}", which is not there.`, `Did you mean "${near}"?`)] : []
}

function optionFaults(path: KeyPath, field: NamedFieldInput): Fault[] {
  const { rules } = parseRules(field.rules ?? [])
  if (field.type !== 'select') {
    return field.options === undefined ? [] : [keyFault([...path, 'options'], ': only a field of the type select has options.')]
  }
  if (field.options !== undefined || rules.some((rule) => rule.name === 'in')) return []
  return [keyFault(path, ': a select needs options.', 'Write `options: [small, large]`.')]
}

function defaultFaults(path: KeyPath, name: string, input: NamedFieldInput, takesOthers: boolean): Fault[] {
  if (input.default === undefined || input.default === null) return []
  const value = input.default as Json
  const inspection = new Inspection(takesOthers)
  inspection.field(customField(name, input, NO_TYPES), { [name]: value, [`${name}_confirmation`]: value })
  const [message] = Object.values(inspection.errors).flat()
  return message ? [valueFault([...path, 'default'], `does not keep the field's own rules. ${message}`)] : []
}
