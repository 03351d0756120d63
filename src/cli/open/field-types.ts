import { nameOf } from '#config/faults.ts'
import type { LoadedConfig } from '#config/load.ts'
import { noType } from '#config/semantics/fields.ts'
import type { KeyPath } from '#config/source.ts'
import type { Remark } from '#core/backend.ts'
import { type CustomTypes, isFieldType, type NamedFieldInput } from '#core/types/custom-types.ts'
import type { ModuleOff } from '#features/modules/module-set.ts'
import { BadConfig } from '#lib/errors.ts'

/** A field whose type is none of Quire's, and its place in the configuration. */
interface Named {
  readonly path: KeyPath
  readonly type: string
}

/**
 * Returns remarks on fields whose type no module brings that is loaded, while some are off: these fields are taken as `json` then,
 * and keep what they hold. Throws BadConfig for such a type where no module is off.
 */
export function fieldTypeRemarks({ config, at }: LoadedConfig, types: CustomTypes, off: readonly ModuleOff[]): Remark[] {
  const missing = Object.entries(config.types)
    .flatMap(([type, { fields }]) => namedIn(fields, ['types', type, 'fields']))
    .filter(({ type }) => !types.has(type))
  const [first, ...others] = missing
  if (!first) return []
  if (off.length === 0) {
    const mistakes = others.map(({ path, type }) => ({ ...noType(path, type, types.keys()), ...at(path) }))
    const { message, hint } = noType(first.path, first.type, types.keys())
    throw new BadConfig(message, at(first.path), hint, mistakes)
  }
  const names = off.map(({ name }) => `"${name}"`).join(', ')
  return missing.map(({ path, type }) => {
    const { file, line, column } = at(path)
    const which = off.length === 1 ? `The module ${names} is` : `The modules ${names} are`
    return {
      message: `${file}:${line}:${column}: ${nameOf(path)} is "${type}", which no module brings that is on. ${which} off. The field keeps what it holds, and is taken as json until then.`,
      hint: 'cms doctor says why the module is off.',
    }
  })
}

/** Returns whether a field of the configuration has a type whose name is none of Quire's. */
export function hasOwnTypes({ config }: Pick<LoadedConfig, 'config'>): boolean {
  return Object.entries(config.types).some(([type, { fields }]) => namedIn(fields, ['types', type, 'fields']).length > 0)
}

/** The fields of a type, and those within them, whose type has a name that is none of Quire's. */
function namedIn(fields: Readonly<Record<string, NamedFieldInput>>, path: KeyPath): Named[] {
  return Object.entries(fields).flatMap(([name, field]) => namedBy(field, [...path, name]))
}

function namedBy({ type, of, fields }: NamedFieldInput, path: KeyPath): Named[] {
  return [
    ...(isFieldType(type) ? [] : [{ path: [...path, 'type'], type }]),
    ...(of ? namedBy(of, [...path, 'of']) : []),
    ...(fields ? namedIn(fields, [...path, 'fields']) : []),
  ]
}
