import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { Inspection } from '#core/rules/inspection.ts'
import { secretIn } from '#core/secrets.ts'
import { ALL_GROUPS, CUSTOM, groupsIn, SETTINGS, type Setting, settingsOf } from '#core/settings.ts'
import type { Json } from '#lib/json.ts'
import { nearest } from '#lib/text/nearest.ts'
import { NamedFiles } from '../named-files.ts'
import type { Quire } from '../open/site.ts'

/** A fault of a setting, and how to mend it. */
type Fault = Pick<Problem, 'message' | 'hint'>

/** Finds the problems in files of settings: broken rules, secrets, what is not declared, groups in two places. */
export async function settingProblems(site: Quire): Promise<Problem[]> {
  if (!site.config.features.settings) return []
  const { items } = await site.store.heads(SETTINGS, {})
  const declared = settingsOf(site.config.settings)
  const groups = groupsIn(items)
  const files = new NamedFiles(site)
  const problems: Problem[] = []
  for (const [group, { values, head }] of groups) {
    const file = (await site.fileOf(head.key)) ?? keyText(head.key)
    const named = Object.entries(values).map(([name, value]): [string, Json] => [`${group}.${name}`, value])
    const faults = named.flatMap(([key, value]) => faultsOf(declared, key, value))
    for (const [key, value] of named) {
      const setting = declared.get(key)
      faults.push(...(setting ? await files.lostIn(setting.field, value) : []))
    }
    problems.push(...faults.map((fault) => ({ ...fault, file, severity: 'warning' as const })))
  }
  const whole = items.find(({ key }) => key.id === ALL_GROUPS.id)
  const hidden = Object.keys(whole?.fields ?? {}).filter((group) => groups.has(group) && groups.get(group)?.head !== whole)
  const file = (hidden.length > 0 && (await site.fileOf(ALL_GROUPS))) || keyText(ALL_GROUPS)
  const hint = 'Keep one of the two.'
  const twice = hidden.map((group) => ({ message: `The group "${group}" has a file of its own, which wins.`, hint }))
  return [...problems, ...twice.map((fault) => ({ ...fault, file, severity: 'warning' as const }))]
}

function faultsOf(declared: ReadonlyMap<string, Setting>, key: string, value: Json): Fault[] {
  const secret = secretIn(value)
  if (secret !== undefined)
    return [{ message: `${key} holds a ${secret}.`, hint: 'Settings are no place for secrets: take it back.' }]
  const setting = declared.get(key)
  if (!setting) return undeclared(declared, key)
  const inspection = new Inspection(false)
  inspection.field({ ...setting.field, name: key }, { [key]: value })
  return Object.values(inspection.errors).flatMap((messages) => messages.map((message) => ({ message })))
}

function undeclared(declared: ReadonlyMap<string, Setting>, key: string): Fault[] {
  if (key.startsWith(`${CUSTOM}.`)) return []
  const near = nearest(key, declared.keys())
  const hint = near ? `Did you mean "${near}"?` : `Declare it under settings in cms.config.yaml, or put it into ${CUSTOM}.`
  return [{ message: `There is no setting "${key}".`, hint }]
}
