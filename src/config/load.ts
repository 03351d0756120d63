import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { BadConfig } from '../core/errors.ts'
import { shapeFaults } from './check.ts'
import { substitute } from './environment.ts'
import { badConfig } from './faults.ts'
import { type Config, configSchema } from './schema.ts'
import { type KeyPath, Source } from './source.ts'

/** Name of the configuration, in the site's root. */
export const CONFIG_FILE = 'cms.config.yaml'

/** A configuration, and where it is from. */
export interface LoadedConfig {
  /** Every default filled in; checked; frozen. */
  config: Config
  /** The site's folder, absolute. */
  root: string
  /** Absolute path of cms.config.yaml; undefined where the site has none. */
  file: string | undefined
  /** SHA-256 of the resolved configuration, 64 hex digits: equal for two configurations that mean the same. */
  fingerprint: string
  /** What has no effect, each with its place: `cms.config.yaml:3:5: …`. */
  warnings: string[]
}

/** The site that `start` lies in: walks up to cms.config.yaml, else to a folder that holds `content/`. Throws BadConfig where there is none. */
export function findSite(start: string): string {
  const folders = [...upwards(resolve(start))]
  const site =
    folders.find((folder) => isFile(join(folder, CONFIG_FILE))) ?? folders.find((folder) => isFolder(join(folder, 'content')))
  if (site) return site
  throw new BadConfig(
    `There is no site in ${resolve(start)} or above it.`,
    undefined,
    'Go to a folder that holds content/, name one with -C, or make a site with `cms init`.',
  )
}

/** Reads, checks and freezes the configuration of the site in `root`; all defaults where it has no file. Throws BadConfig with the place. */
export function loadConfig(root: string, env: NodeJS.ProcessEnv): LoadedConfig {
  const file = join(resolve(root), CONFIG_FILE)
  const found = existsSync(file)
  const source = new Source(CONFIG_FILE, found ? readFileSync(file) : new Uint8Array())
  const value = substitute(source, configSchema, env, unusedIn(source.value))
  const faults = shapeFaults(value, configSchema)
  if (faults.length > 0) throw badConfig(source, faults)
  const config = deepFreeze(value as Config)
  return { config, root: resolve(root), file: found ? file : undefined, fingerprint: fingerprintOf(config), warnings: [] }
}

/** The database's address matters only to the driver that has one. */
function unusedIn(value: unknown): (path: KeyPath) => boolean {
  const driver = (value as { storage?: { driver?: unknown } } | null)?.storage?.driver
  return (path) => driver !== 'postgres' && path.join('.') === 'storage.url'
}

function fingerprintOf(config: Config): string {
  return createHash('sha256').update(JSON.stringify(config)).digest('hex')
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const child of Object.values(value)) deepFreeze(child)
  return Object.freeze(value)
}

function* upwards(folder: string): Iterable<string> {
  for (let at = folder; ; at = dirname(at)) {
    yield at
    if (dirname(at) === at) return
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
