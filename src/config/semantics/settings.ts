import { secretIn } from '#core/secrets.ts'
import { settingFault, settingsOf } from '#core/settings.ts'
import type { Json } from '#lib/json.ts'
import { nearest } from '#lib/text/nearest.ts'
import { type Fault, keyFault, valueFault } from '../faults.ts'
import type { Config } from '../schema.ts'
import { declaredFaults } from './fields.ts'

/** Finds the semantic problems in `settings`, once they match the schema. `known` are the types there are. */
export function settingFaults({ settings }: Config, known: ReadonlySet<string>): Fault[] {
  return Object.entries(settings).flatMap(([key, field]) => {
    const path = ['settings', key]
    const fault = settingFault(key)
    if (fault) {
      const near = nearest(key, settingsOf({}).keys())
      return [keyFault(path, `: the name ${fault}.`, near && `Did you mean "${near}"?`)]
    }
    const name = key.slice(key.indexOf('.') + 1)
    const faults = declaredFaults({ path, name, field, known, level: 1, isSetting: true }, false)
    const secret = secretIn(field.default as Json | undefined)
    if (secret === undefined) return faults
    return [...faults, valueFault([...path, 'default'], `is a ${secret}.`, 'A setting is no place for secrets.')]
  })
}
