import { stringify } from 'yaml'
import { compareText } from '#lib/text/compare.ts'
import type { PackageFault } from './fault.ts'
import { isModuleName } from './manifest.ts'
import { readSmallYaml } from './small-yaml.ts'
import { isVersion } from './versions.ts'

/** The file in the site's root that says which modules were added, and of which bytes. */
export const LOCK_FILE = 'modules.lock.yaml'

const MOST_BYTES = 512 * 1024
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/
const KEY = /^ed25519:[A-Za-z0-9+/]{43}=$/

/** The state of one module that was added. */
export interface LockEntry {
  readonly version: string
  /** `sha512-<base64>` of its package. */
  readonly integrity: string
  /** `treeHash` of its folder. */
  readonly tree: string
  /** The key that has signed it: `ed25519:<base64>`. */
  readonly signer?: string
  /** The registry that it is from. */
  readonly registry?: string
}

/** The entries by the names of modules. */
export type Lock = ReadonlyMap<string, LockEntry>

const HEAD = '# Written by `cms module:add`. It belongs in git: a server loads no other bytes than these.\n'

/** Reads the text of a lock file; '' is one without entries. Throws PackageFault, with the line. */
export function readLock(text: string): Lock {
  const { value, fault } = readSmallYaml(text, LOCK_FILE, MOST_BYTES)
  if (value === null || value === undefined) return new Map()
  if (!isMap(value)) throw fault(`${LOCK_FILE} must be a map by the names of modules.`)
  return new Map(Object.entries(value).map(([name, entry]) => [name, entryOf(name, entry, fault)]))
}

/** Returns the text of a lock file. */
export function writeLock(lock: Lock): string {
  const entries = [...lock].sort(([a], [b]) => compareText(a, b))
  if (entries.length === 0) return HEAD
  return HEAD + stringify(Object.fromEntries(entries), { lineWidth: 0, aliasDuplicateObjects: false })
}

function entryOf(name: string, value: unknown, fault: (message: string, key?: string, hint?: string) => PackageFault): LockEntry {
  const refuse = (what: string) => fault(`The entry of "${name}" ${what}.`, name, 'Add the module again with `cms module:add`.')
  if (!isModuleName(name)) throw refuse('is not of a module')
  if (!isMap(value)) throw refuse('is no map')
  const { version, integrity, tree, signer, registry, ...others } = value
  if (Object.keys(others).length > 0) throw refuse(`has a key that there is not, "${Object.keys(others)[0]}"`)
  if (typeof version !== 'string' || !isVersion(version)) throw refuse('has no version')
  if (typeof integrity !== 'string' || !SHA512.test(integrity)) throw refuse('has no sha512 of the package')
  if (typeof tree !== 'string' || !SHA512.test(tree)) throw refuse('has no sha512 of the files')
  if (signer !== undefined && (typeof signer !== 'string' || !KEY.test(signer))) throw refuse('has a signer that is no key')
  if (registry !== undefined && typeof registry !== 'string') throw refuse('has a registry that is no address')
  return { version, integrity, tree, ...(signer !== undefined && { signer }), ...(registry !== undefined && { registry }) }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
