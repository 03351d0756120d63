import { COMPUTED_FIELDS } from '#core/content-type.ts'
import { fieldMessages } from '#core/rules/checks.ts'
import { parseRules } from '#core/rules/parse.ts'
import { type FieldInput, fieldOf, typeFault } from '#core/types.ts'
import type { Json } from '#lib/json.ts'
import { nearest } from '#lib/nearest.ts'
import { type Fault, keyFault, valueFault } from '../faults.ts'
import type { Config } from '../schema.ts'
import type { KeyPath } from '../source.ts'

const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_-]{0,63}$/u
const UNSAFE: readonly string[] = ['__proto__', 'constructor', 'prototype']

/** Finds the problems of one field of a declared type. */
export function fieldFaults(config: Config, type: string, name: string, field: FieldInput, known: ReadonlySet<string>): Fault[] {
  const path = ['types', type, 'fields', name]
  const fault = nameFault(config, type, name)
  if (fault) return [keyFault(path, `: ${fault}.`)]
  const faults = ruleFaults(path, field, known)
  faults.push(...targetFaults(path, field, known), ...optionFaults(path, field))
  return faults.length > 0 ? faults : defaultFaults(path, name, field)
}

function nameFault(config: Config, type: string, name: string): string | undefined {
  if (!NAME.test(name) || UNSAFE.includes(name)) return 'a field is named with letters, digits, _ and -, and begins with a letter'
  if (COMPUTED_FIELDS.includes(name)) return 'Quire computes this field itself; it can not be declared'
  if (name === 'own') return 'it holds keys of files that are names of what Quire makes; it can not be declared'
  if (name === 'status') return 'the statuses are declared under "statuses", for all types'
  const terms = config.types[type]?.taxonomies ?? Object.keys(config.taxonomies)
  return terms.includes(name) ? 'this is a taxonomy of the type; it needs no declaration as a field' : undefined
}

function ruleFaults(path: KeyPath, field: FieldInput, known: ReadonlySet<string>): Fault[] {
  const at = [...path, 'rules']
  const list = typeof field.rules === 'string' ? [field.rules] : (field.rules ?? [])
  return list.flatMap((text, index) => {
    const place = typeof field.rules === 'string' ? at : [...at, index]
    const { rules, fault } = parseRules(typeof field.rules === 'string' ? text : [text])
    if (fault) return [valueFault(place, `can't be read. ${fault}`)]
    return rules
      .filter((rule) => rule.name === 'unique' || rule.name === 'exists')
      .flatMap((rule) => typeNameFaults(place, rule.argument?.split(',')[0]?.trim() ?? '', known))
  })
}

function targetFaults(path: KeyPath, field: FieldInput, known: ReadonlySet<string>): Fault[] {
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

function optionFaults(path: KeyPath, field: FieldInput): Fault[] {
  const { rules } = parseRules(field.rules ?? [])
  if (field.type !== 'select') {
    return field.options === undefined ? [] : [keyFault([...path, 'options'], ': only a field of the type select has options.')]
  }
  if (field.options !== undefined || rules.some((rule) => rule.name === 'in')) return []
  return [keyFault(path, ': a select needs options.', 'Write `options: [small, large]`.')]
}

function defaultFaults(path: KeyPath, name: string, input: FieldInput): Fault[] {
  if (input.default === undefined || input.default === null) return []
  const field = fieldOf(name, input)
  const value = input.default as Json
  const [message] = fieldMessages(field, { [name]: value, [`${name}_confirmation`]: value })
  return message ? [valueFault([...path, 'default'], `does not keep the field's own rules. ${message}`)] : []
}
