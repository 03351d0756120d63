import type { CustomType } from '#core/types/content-type.ts'
import { type CustomTypes, isFieldType } from '#core/types/custom-types.ts'
import type { Json } from '#lib/json.ts'
import type { FieldTypeDefinition } from '#module/module.ts'
import type { ModuleSet } from './module-set.ts'

/** Most characters of a sentence or of words that a module makes of a value. */
const LONGEST = 500

/** Returns the types of fields that the modules of a site bring; of two of one name the first counts. */
export function fieldTypesOf({ on }: Pick<ModuleSet, 'on'>): CustomTypes {
  const types = new Map<string, CustomType>()
  for (const { name: module, definition } of on)
    for (const [name, type] of Object.entries(definition.fieldTypes ?? {})) {
      const made = customType(module, name, type)
      if (made && !types.has(name)) types.set(name, made)
    }
  return types
}

function customType(
  module: string,
  name: string,
  { base, rules = [], help, check, present }: FieldTypeDefinition,
): CustomType | undefined {
  if (!isFieldType(base)) return undefined
  return {
    ...{ name, module, base, help },
    rules: typeof rules === 'string' ? [rules] : rules,
    check: check && ((value) => faultOf(module, check, value)),
    present: present && ((value) => wordsFor(present, value)),
  }
}

/** A value that can't be checked is not taken: it would be kept as one that was. */
function faultOf(module: string, check: (value: Json) => string | undefined, value: Json): string | undefined {
  try {
    const fault: unknown = check(structuredClone(value))
    return fault === undefined || fault === null ? undefined : String(fault).slice(0, LONGEST)
  } catch {
    return `can’t be checked now: the module ${module} failed.`
  }
}

function wordsFor(present: (value: Json) => string, value: Json): string {
  try {
    return String(present(structuredClone(value))).slice(0, LONGEST)
  } catch {
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
}
