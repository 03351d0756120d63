import { nearest } from '#lib/text/nearest.ts'
import { PackageFault } from './fault.ts'
import { isPermission } from './permissions.ts'
import { readSmallYaml, type SmallYaml } from './small-yaml.ts'
import { treePathFault } from './tree-path.ts'
import { isRange, isVersion } from './versions.ts'

/** The file at the root of a module that says what it is. */
export const MANIFEST_FILE = 'module.yaml'

/** The major of the shape of a module that this release loads. */
export const API = 1

const MOST_BYTES = 16 * 1024
const MODULE_NAME = /^[a-z0-9][a-z0-9-]{1,63}$/
const TAG = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,31}$/u

/** The manifest of a module. */
export interface Manifest {
  readonly api: 1
  readonly name: string
  readonly version: string
  readonly description: string
  readonly author: string
  readonly license: string
  readonly tags: readonly string[]
  /** The range of versions of Quire that it runs with. */
  readonly cms: string
  /** The file that is loaded, from the root of the module. */
  readonly main: string
  readonly permissions: readonly string[]
}

const KEYS = [
  ...(['api', 'name', 'version', 'description', 'author', 'license'] as const),
  ...(['tags', 'cms', 'main', 'permissions'] as const),
] as const satisfies readonly (keyof Manifest)[]

/** Returns whether a text can be the name of a module. */
export function isModuleName(text: string): boolean {
  return MODULE_NAME.test(text)
}

/**
 * Reads `module.yaml`. Throws PackageFault, with the line and a hint, where it is no manifest: keys that there are not,
 * `__proto__`, another major of the API.
 */
export function parseManifest(text: string): Manifest {
  const source = readSmallYaml(text, MANIFEST_FILE, MOST_BYTES)
  return manifestOf(source.value, source.fault)
}

/** Returns what a map says, as a manifest; `fault` makes the error for a key that is wrong. */
export function manifestOf(value: unknown, fault: SmallYaml['fault'] = (message, _key, hint) => wrong(message, hint)): Manifest {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault(`${MANIFEST_FILE} must be a map.`, undefined, 'Begin with `api: 1` and `name: <name>`.')
  const map = value as Readonly<Record<string, unknown>>
  const unknown = Object.keys(map).find((key) => !(KEYS as readonly string[]).includes(key))
  if (unknown !== undefined) throw fault(`There is no key "${unknown}".`, unknown, keyHint(unknown))
  if (map.api !== API) throw otherMajor(map.api, fault)
  const text = (key: keyof Manifest, most: number, otherwise?: string) => textOf(map, key, most, fault, otherwise)
  const list = (key: keyof Manifest, isOne: (text: string) => boolean, form: string) => listOf(map, key, isOne, form, fault)
  const name = text('name', 64)
  if (!isModuleName(name)) throw fault(`"${name}" is no name of a module.`, 'name', 'Take 2 to 64 of a–z, 0–9 and -: `contacts`.')
  const version = text('version', 64)
  if (!isVersion(version)) throw fault(`"${version}" is no version.`, 'version', 'Write one by semver.org: `1.0.0`.')
  const cms = text('cms', 64, '*')
  if (!isRange(cms)) throw fault(`"${cms}" is no range of versions.`, 'cms', 'Write `>=0.1 <2`, or `1.x`.')
  const main = text('main', 200, 'index.js')
  const amiss = treePathFault(main) ?? (/\.m?js$/.test(main) ? undefined : 'is no JavaScript')
  if (amiss !== undefined) throw fault(`"${main}" ${amiss}.`, 'main', 'Name a file of the module: `index.js`.')
  return {
    api: API,
    name,
    version,
    description: text('description', 300, ''),
    author: text('author', 200, ''),
    license: text('license', 100, ''),
    tags: list('tags', (tag) => TAG.test(tag), 'a tag of letters and digits'),
    cms,
    main,
    permissions: list('permissions', isPermission, 'a permission, as store, mail, jobs or records:content:read@posts'),
  }
}

function keyHint(unknown: string): string {
  const near = nearest(unknown, KEYS)
  return near ? `Did you mean "${near}"?` : `There are ${KEYS.join(', ')}.`
}

function otherMajor(api: unknown, fault: SmallYaml['fault']): PackageFault {
  if (typeof api !== 'number') return fault('The key "api" must be 1.', 'api', 'Write `api: 1`.')
  return fault(
    `It is for another major of the shape of modules, ${api}: this release loads ${API}.`,
    'api',
    api > API ? 'Update Quire.' : 'Ask its author for a newer version.',
  )
}

function textOf(
  map: Readonly<Record<string, unknown>>,
  key: keyof Manifest,
  most: number,
  fault: SmallYaml['fault'],
  otherwise?: string,
): string {
  const value = Object.hasOwn(map, key) ? map[key] : otherwise
  if (value === undefined || value === null) throw fault(`The key "${key}" is missing.`, key, `Write \`${key}: …\`.`)
  if (typeof value !== 'string') throw fault(`"${key}" must be a text.`, key, 'Put it in quotes.')
  if (value.length > most) throw fault(`"${key}" is over ${most} characters.`, key)
  if (hasControls(value)) throw fault(`"${key}" must be one line.`, key)
  return value
}

function hasControls(text: string): boolean {
  return /[\p{Cc}\u2028\u2029]/u.test(text)
}

function listOf(
  map: Readonly<Record<string, unknown>>,
  key: keyof Manifest,
  isOne: (text: string) => boolean,
  form: string,
  fault: SmallYaml['fault'],
): readonly string[] {
  const value = Object.hasOwn(map, key) ? (map[key] ?? []) : []
  if (!Array.isArray(value) || value.length > 50) throw fault(`"${key}" must be a list of 50 at most.`, key)
  const amiss = value.find((one) => typeof one !== 'string' || !isOne(one))
  if (amiss !== undefined) throw fault(`"${String(amiss).slice(0, 100)}" in "${key}" is not ${form}.`, key)
  return [...new Set(value as string[])]
}

function wrong(message: string, hint?: string): PackageFault {
  return new PackageFault(message, undefined, hint)
}
