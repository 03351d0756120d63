import { parseRules } from '#core/rules/parse.ts'
import { type SettingInput, settingFault, settingKey } from '#core/settings.ts'
import { FIELD_TYPE_NAMES } from '#core/types/content-type.ts'
import type { SettingDefinition } from '#module/module.ts'
import type { LoadedModule } from './module-set.ts'

/** Returns a configuration with the settings that modules declare (`contacts.greeting`); what the site itself declares wins. */
export function withModuleSettings<C extends { readonly settings: Readonly<Record<string, SettingInput>> }>(
  config: C,
  modules: readonly LoadedModule[],
): C {
  const entries = modules.flatMap(({ name, definition }) =>
    Object.entries(definition.settings ?? {}).map(([setting, input]) => [settingKey(name, setting), input as SettingInput]),
  )
  return { ...config, settings: { ...Object.fromEntries(entries), ...config.settings } }
}

/** Returns the reason why a module can't declare a setting, as a sentence; undefined where it can. */
export function moduleSettingFault(module: string, setting: string, { type, rules }: SettingDefinition): string | undefined {
  const key = settingKey(module, setting)
  const fault = settingFault(key)
  if (fault !== undefined) return `Its setting "${key}" ${fault}.`
  if (!(FIELD_TYPE_NAMES as readonly string[]).includes(type))
    return `Its setting "${key}" has the type "${type}", and there is none.`
  const wrong = parseRules(rules ?? []).fault
  return wrong === undefined ? undefined : `The rules of its setting "${key}": ${wrong}`
}
