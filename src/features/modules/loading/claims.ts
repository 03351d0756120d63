import { isOwnName } from '#packages/own-names.ts'
import { kindOf } from '../context/collections.ts'
import { collectionNames } from '../context/module-store.ts'
import { Granted } from '../granted.ts'
import type { LoadedModule, ModuleOff, ModuleSet } from '../module-set.ts'
import { moduleSettingFault } from '../module-settings.ts'
import { addedFault } from './added-names.ts'

/** The beginnings of addresses below `/api/` that are Quire's own. */
export const OWN_PATHS: ReadonlySet<string> = new Set([
  ...['cms', 'auth', 'billing', 'changes', 'docs', 'events', 'media', 'menus', 'modules', 'openapi.json', 'settings', 'search'],
  ...['teams', 'tokens', 'users', 'webhooks', 'audit', 'analytics', 'x', 'taxonomies'],
])

const COLLECTION = /^[a-z0-9][a-z0-9_-]{0,63}$/
const COMMAND = /^[a-z][a-z0-9]*(?:[:-][a-z0-9]+)*$/

/** Something that no two modules can both have: its name, and words for it. */
type Claim = readonly [name: string, words: string]

/** Looks at what modules declare: one that declares what it may not, or what another before it has, is off. */
export function settled(loaded: readonly LoadedModule[]): ModuleSet {
  const owners = new Map<string, string>()
  const on: LoadedModule[] = []
  const off: ModuleOff[] = []
  for (const module of loaded) {
    const reason = faultOf(module) ?? addedFault(module.definition) ?? takenFault(module, owners)
    if (reason !== undefined) {
      off.push({ name: module.name, version: module.version, reason })
      continue
    }
    for (const [name] of claimsOf(module)) owners.set(name, module.name)
    on.push(module)
  }
  return { on, off }
}

function takenFault(module: LoadedModule, owners: ReadonlyMap<string, string>): string | undefined {
  const taken = claimsOf(module).find(([name]) => owners.has(name))
  return taken && `It declares ${taken[1]}, which is the module "${owners.get(taken[0])}"'s.`
}

function claimsOf({ name: module, definition, permissions }: LoadedModule): Claim[] {
  const { fieldTypes = {}, filters = {}, tags = {}, commands = [] } = definition
  const named = (area: string, names: readonly string[], words: string) =>
    names.map((name): Claim => [`${area} ${name}`, `${words} "${name}"`])
  const kinds = collectionNames(definition).map((name) => kindOf(module, name))
  return [
    ...named('kind', kinds, 'the kind'),
    ...named('routes', new Granted(module, permissions).routes, 'routes below'),
    ...named(
      'command',
      commands.map(({ name }) => commandName(module, name)),
      'the command',
    ),
    ...named('field type', Object.keys(fieldTypes), 'the field type'),
    ...named('filter', Object.keys(filters), 'the filter'),
    ...named('tag', Object.keys(tags), 'the tag'),
  ]
}

/** The whole name of a command of a module: `contacts:greet`, whether or not the module wrote its own name before it. */
export function commandName(module: string, name: string): string {
  return name.startsWith(`${module}:`) ? name : `${module}:${name}`
}

/** Returns the reason why a module can't be used as it is, as a sentence. */
function faultOf({ name, definition, permissions, folder }: LoadedModule): string | undefined {
  if (folder !== undefined && isOwnName(name)) return `The name "${name}" is one of Quire's own.`
  const claimed = folder === undefined ? [] : new Granted(name, permissions).routes
  const route = claimed.find((path) => OWN_PATHS.has(path.split('/')[2] ?? ''))
  if (route !== undefined) return `It claims routes below ${route}, which are Quire's own.`
  const collection = collectionNames(definition).find((one) => !COLLECTION.test(one))
  if (collection !== undefined) return `"${collection}" can't be the name of a collection: small letters, digits, _ and -.`
  const command = (definition.commands ?? []).find((one) => !COMMAND.test(one.name))
  if (command) return `"${command.name}" can't be the name of a command: small letters, digits, - and :.`
  for (const [setting, input] of Object.entries(definition.settings ?? {})) {
    const fault = moduleSettingFault(name, setting, input)
    if (fault !== undefined) return fault
  }
  const migrations = (definition.migrations ?? []).map(({ number }) => number)
  const isOdd = migrations.some((number, at) => !Number.isInteger(number) || number < 1 || migrations.indexOf(number) !== at)
  return isOdd ? 'The numbers of its migrations are whole ones from 1 on, each once.' : undefined
}
