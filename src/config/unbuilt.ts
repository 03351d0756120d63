import type { Config } from './schema.ts'
import type { KeyPath, Source } from './source.ts'

type Setting = readonly [path: KeyPath, isOn: boolean]

/** The settings that a feature has beside its switch. */
type SettingsOf = (config: Config) => readonly Setting[]

const none: SettingsOf = () => []

const UNBUILT = {
} satisfies Partial<Record<keyof Config['features'], SettingsOf>>

/** A switch of `features` that turns something on. */
export type BuiltFeature = Exclude<keyof Config['features'], keyof typeof UNBUILT>

/** The switches of `features` that turn nothing on yet. Any other is in the table of features. */
export const UNBUILT_FEATURES = Object.keys(UNBUILT) as readonly (keyof typeof UNBUILT)[]

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
  return UNBUILT_FEATURES.flatMap((name) => [[['features', name], config.features[name]] as Setting, ...UNBUILT[name](config)])
    .filter(([path, isOn]) => isOn && source.get(path) !== undefined)
    .map(([path]) => path)
}
