import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { BadConfig, type Placed } from '#lib/errors.ts'
import { leadsOut } from '#lib/files/leads-out.ts'
import { shapeFaults } from './check.ts'
import { filled, substitute } from './environment.ts'
import { badConfig, type Fault, valueFault } from './faults.ts'
import { idleWarnings } from './idle.ts'
import { apartFrom, sound } from './partial.ts'
import { type Config, configSchema } from './schema.ts'
import { plainTokenFault } from './semantics/access.ts'
import { meaningFaults } from './semantics.ts'
import { type KeyPath, Source } from './source.ts'

/** Name of the configuration, in the site's root. */
export const CONFIG_FILE = 'cms.config.yaml'

/** The path of the database address in the configuration. */
const DATABASE = ['storage', 'url'] as const

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
  /** Returns the place of the value at a path of the file. */
  at: (path: KeyPath) => Placed
  /** Warnings for settings without effect, each with its place: `cms.config.yaml:3:5: …`. */
  warnings: string[]
}

/**
 * Finds the site that `start` lies in: walks up to cms.config.yaml, else to a folder that holds `content/`. Throws BadConfig if
 * there is none.
 */
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

/** The storage driver, as in `storage.driver`. */
export type Driver = Config['storage']['driver']

/**
 * Reads, checks and freezes the configuration of the site in `root`; all defaults where it has no file. `driver` stands in for
 * `storage.driver`: for a site that moves. Throws BadConfig with the place.
 */
export function loadConfig(root: string, env: NodeJS.ProcessEnv, driver?: Driver): LoadedConfig {
  const file = join(resolve(root), CONFIG_FILE)
  const found = existsSync(file)
  const source = new Source(CONFIG_FILE, found ? bytesOf(file) : new Uint8Array())
  const value = substitute(source, configSchema, env, (path) => path.join('.') === DATABASE.join('.'))
  const faults = shapeFaults(value, configSchema).map((fault) => tokenInPlainText(fault, source))
  const folders = (config: Config) => () => foldersOf(join(resolve(root), config.site.content))
  if (faults.length > 0) {
    const rest = sound(value, configSchema, faults)
    throw badConfig(source, [...faults, ...(rest ? apartFrom(faults, meaningFaults(rest, folders(rest))) : [])])
  }
  const config = deepFreeze(located(tidied(value as Config), driver, source, env))
  const wrong = [...meaningFaults(config, folders(config)), ...linkFaults(config, resolve(root))]
  if (wrong.length > 0) throw badConfig(source, wrong)
  const warnings = [...misnamed(resolve(root), found), ...idleWarnings(source, config)]
  return {
    config,
    root: resolve(root),
    file: found ? file : undefined,
    fingerprint: fingerprintOf(config),
    at: (path) => source.at(path),
    warnings,
  }
}

/** The database's address matters only to the driver that has one: else the variables in it need not be set. */
function located(config: Config, driver: Driver | undefined, source: Source, env: NodeJS.ProcessEnv): Config {
  const storage = { ...config.storage, ...(driver && { driver }) }
  if (storage.driver === 'files') return { ...config, storage }
  return { ...config, storage: { ...storage, url: filled(storage.url, source, DATABASE, env) } }
}

function bytesOf(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new BadConfig(`The file can't be read: ${(error as Error).message}.`, { file: CONFIG_FILE }, 'See to its rights.')
  }
}

/** Finds folders of the site that are links to what is not the site's to show. */
function linkFaults({ site, storage }: Config, root: string): Fault[] {
  return (['content', 'templates'] as const)
    .filter((name) => leadsOut(root, site[name], storage.private_dir))
    .map((name) => {
      const message = `is "${site[name]}", a link that leads out of the site: such links are not followed.`
      return valueFault(['site', name], message, 'Put the folder itself there, or begin the site in a folder that holds both.')
    })
}

/** A configuration under a name that is not looked for would have no effect, and nobody would know. */
function misnamed(root: string, found: boolean): string[] {
  const other = found ? undefined : ['cms.config.yml', 'cms.config.json'].find((name) => isFile(join(root, name)))
  return other ? [`${other}:1:1: this file is not read. Rename it to ${CONFIG_FILE}.`] : []
}

/** Addresses are joined with paths that begin with a slash. */
function tidied(config: Config): Config {
  const base = config.build.base_url
  return {
    ...config,
    site: { ...config.site, url: config.site.url.replace(/\/+$/, '') },
    build: { ...config.build, base_url: base === null ? null : base.replace(/\/+$/, '') },
  }
}

function tokenInPlainText(fault: Fault, source: Source): Fault {
  const [api, tokens, index, key] = fault.path
  if (api !== 'api' || tokens !== 'tokens' || key !== 'token' || fault.path.length > 4) return fault
  return plainTokenFault(fault.path, source.get(['api', 'tokens', index ?? 0, 'token']))
}

/** Names of the folders in the content folder; none where it can't be read. */
function foldersOf(content: string): string[] {
  if (!isFolder(content)) return []
  return readdirSync(content, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
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
