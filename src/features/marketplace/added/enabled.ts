import { editYaml } from '#frontmatter/yaml/edit.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'
import { Conflict } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'

/** Returns the names in `modules.enabled` of a configuration. */
export function enabledIn(text: string): string[] {
  const { modules } = readYaml(text)
  const list = isMap(modules) ? modules.enabled : undefined
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}

/**
 * Returns the text of a configuration with a name in `modules.enabled`, or without it; no other byte changes. Throws Conflict where it
 * is written in a way that can't be changed so.
 */
export function withEnabled(text: string, name: string, isOn: boolean): string {
  const data = readYaml(text)
  const before = enabledIn(text)
  const after = isOn ? [...before.filter((one) => one !== name), name] : before.filter((one) => one !== name)
  if (before.includes(name) === isOn) return text
  const modules: Fields = { ...(isMap(data.modules) ? data.modules : {}), enabled: after }
  try {
    return editYaml(text, data, new Map([['modules', modules]]), text.includes('\r\n') ? '\r\n' : '\n')
  } catch (error) {
    const hint = `Write modules: { enabled: [${after.join(', ')}] } into it.`
    throw new Conflict(`The configuration can't be changed as it is written: ${(error as Error).message}`, undefined, hint)
  }
}

function isMap(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
