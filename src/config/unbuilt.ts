import type { Config } from './schema.ts'
import type { KeyPath, Source } from './source.ts'

const UNBUILT_FEATURES: readonly (keyof Config['features'])[] = [
  'admin',
  'media',
  'menus',
  'settings',
  'modules',
  'events',
  'webhooks',
  'audit',
  'teams',
  'billing',
  'analytics',
  'metrics',
]

/**
 * Returns warnings, with their places and in the file's order, for settings in the file that are not implemented yet. Defaults
 * raise none.
 */
export function unbuiltWarnings(source: Source, config: Config): string[] {
  return unbuilt(source, config)
    .map((path) => ({ path, ...source.place(path, 'key') }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .map(({ path, line, column }) => `${source.file}:${line}:${column}: ${path.join('.')} is not built yet and has no effect.`)
}

function unbuilt(source: Source, config: Config): KeyPath[] {
  const { features, media, billing, modules, types, webhooks } = config
  const on: [KeyPath, boolean][] = [
    ...UNBUILT_FEATURES.map((name): [KeyPath, boolean] => [['features', name], features[name]]),
    [['media', 's3'], media.s3 !== undefined],
    [['billing', 'gateway'], billing.gateway !== 'manual'],
    [['billing', 'stripe'], billing.stripe !== undefined],
    [['billing', 'plans'], billing.plans.length > 0],
    [['modules', 'registry'], modules.registry !== null],
    [['modules', 'enabled'], modules.enabled.length > 0],
    [['webhooks'], webhooks.length > 0],
    ...Object.entries(types).map(([name, type]): [KeyPath, boolean] => [['types', name, 'team'], type.team !== null]),
  ]
  return on.filter(([path, isOn]) => isOn && source.get(path) !== undefined).map(([path]) => path)
}
