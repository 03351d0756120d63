import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ModuleDefinition } from '#module/module.ts'
import { LOCK_FILE, type Lock, readLock } from '#packages/lock.ts'
import { isModuleName, MANIFEST_FILE, type Manifest, parseManifest } from '#packages/manifest.ts'
import { settleTrees } from '#packages/placing.ts'
import { isWithin } from '#packages/versions.ts'
import { wordsOf } from '../module-log.ts'
import type { LoadedModule, ModuleOff, ModuleSet } from '../module-set.ts'
import { settled } from './claims.ts'
import { type Copy, copyOf, putPackage, sweepCopies } from './copies.ts'
import { loadFault, placedWords, Unloadable } from './load-faults.ts'
import { definitionOf } from './shape.ts'

/** Milliseconds that a module has to be loaded. */
const PATIENCE_MS = 5000
const MOST_MANIFEST = 64 * 1024

/** A module that ships, as it is loaded. */
export interface ShippedSource {
  readonly name: string
  readonly description: string
  readonly permissions: readonly string[]
  readonly load: () => Promise<ModuleDefinition>
}

/** The modules that a site wishes to have. */
export interface LoadOptions {
  /** The site's root, absolute. */
  readonly root: string
  /** The folder that copies are put in, absolute; undefined for one that is removed again. */
  readonly cache: string | undefined
  /** Names below `modules/`, in the order of the configuration. */
  readonly enabled: readonly string[]
  readonly shipped: readonly ShippedSource[]
  /** The version of Quire. */
  readonly version: string
  readonly patience?: number
  /** Hears of each module before its code is loaded. */
  readonly onCode?: (module: { readonly name: string; readonly code: string }) => void
}

/** The outcome of loading one. */
type Found = { readonly module: LoadedModule } | { readonly off: ModuleOff }

/**
 * Loads the modules of a site: those that ship, and those of its folder `modules/`. It rejects for none: one that can't be loaded is
 * off, and says why.
 */
export async function loadModules(options: LoadOptions): Promise<ModuleSet> {
  const { enabled, shipped } = options
  if (enabled.length === 0 && shipped.length === 0) return { on: [], off: [] }
  const names = [...new Set(enabled)]
  const ours = await Promise.all(shipped.map((one) => loadShipped(one, options)))
  const theirs = names.length === 0 ? [] : await loadOwn(names, options)
  const found = [...ours, ...theirs]
  const { on, off } = settled(found.flatMap((one) => ('module' in one ? [one.module] : [])))
  return { on, off: [...found.flatMap((one) => ('off' in one ? [one.off] : [])), ...off] }
}

async function loadShipped({ name, description, permissions, load }: ShippedSource, options: LoadOptions): Promise<Found> {
  return offOr(name, options.version, async () => {
    const definition = definitionOf(await inTime(load(), options.patience))
    return { name, version: options.version, description, permissions, definition, folder: undefined }
  })
}

async function loadOwn(names: readonly string[], options: LoadOptions): Promise<Found[]> {
  let lock: Lock
  try {
    lock = readLockOf(options.root)
    await settleTrees(join(options.root, 'modules'), lock)
  } catch (error) {
    // What it binds is not known: nothing that it may bind is loaded.
    return names.map((name) => ({ off: { name, reason: `${LOCK_FILE} can't be read: ${wordsOf(error)}`, ...hintOf(error) } }))
  }
  try {
    const cache = options.cache ?? (await temporaryFolder())
    await mkdir(cache, { recursive: true, mode: 0o700 })
    await putPackage(cache)
    const found = await Promise.all(names.map((name) => loadOne(name, lock, cache, options)))
    const kept = found.flatMap((one) => ('module' in one && one.module.code ? [one.module.code] : []))
    if (options.cache !== undefined) await sweepCopies(cache, new Set(kept))
    return found
  } catch (error) {
    return names.map((name) => ({ off: { name, reason: `It can't be copied: ${wordsOf(error)}` } }))
  }
}

/** Makes a folder that is there as long as the process is: a module may import more of its files later. */
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-modules-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function readLockOf(root: string): Lock {
  const file = join(root, LOCK_FILE)
  return existsSync(file) ? readLock(readFileSync(file, 'utf8')) : new Map()
}

async function loadOne(name: string, lock: Lock, cache: string, options: LoadOptions): Promise<Found> {
  let manifest: Manifest | undefined
  return offOr(
    name,
    () => manifest?.version,
    async () => {
      const folder = folderOf(options.root, name, lock)
      manifest = manifestIn(folder, name)
      const { version, cms, main, description, permissions } = manifest
      if (!isWithin(options.version, cms))
        throw new Unloadable(`It runs with Quire ${cms}, and this is ${options.version}.`, 'Look for another version of it.')
      const copy = await copyOf(folder, cache)
      mustBeLocked(name, manifest, copy, lock)
      const file = join(copy.folder, main)
      if (!existsSync(file)) throw new Unloadable(`Its file ${main} is missing.`, `\`main\` of ${MANIFEST_FILE} names it.`)
      options.onCode?.({ name, code: copy.folder })
      const entry = pathToFileURL(file).href
      const loading: Promise<{ readonly default?: unknown }> = import(entry).catch((error: unknown) => {
        throw loadFault(error, copy.folder, `modules/${name}/${main}`)
      })
      const loaded = await inTime(loading, options.patience)
      const definition = definitionOf(loaded.default)
      return { name, version, description, permissions, definition, folder, code: copy.folder, tree: copy.tree, entry }
    },
  )
}

function folderOf(root: string, name: string, lock: Lock): string {
  if (!isModuleName(name)) throw new Unloadable(`"${name}" is no name of a module.`, 'Take 2 to 64 of a–z, 0–9 and -.')
  const folder = join(root, 'modules', name)
  const found = lstatSync(folder, { throwIfNoEntry: false })
  const locked = lock.get(name)
  const wanted = locked ? `${name}@${locked.version}` : name
  if (!found)
    throw new Unloadable(
      `There is no folder modules/${name}.`,
      `Add it with \`cms module:add ${wanted}\`, or take it out of modules.enabled.`,
    )
  if (!found.isDirectory()) throw new Unloadable(`modules/${name} is a link or no folder: links are not followed.`)
  return folder
}

function manifestIn(folder: string, name: string): Manifest {
  const file = join(folder, MANIFEST_FILE)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found?.isFile())
    throw new Unloadable(`modules/${name}/${MANIFEST_FILE} is missing.`, 'It says `api: 1`, `name` and `version`.')
  if (found.size > MOST_MANIFEST) throw new Unloadable(`Its ${MANIFEST_FILE} is too long.`)
  const manifest = parseManifest(readFileSync(file, 'utf8'))
  if (manifest.name !== name)
    throw new Unloadable(`Its ${MANIFEST_FILE} says the name "${manifest.name}".`, 'The folder has the same.')
  return manifest
}

/** An entry of the lock binds what it names. */
function mustBeLocked(name: string, { version }: Manifest, { tree }: Copy, lock: Lock): void {
  const entry = lock.get(name)
  if (!entry) return
  const hint = `Add it again with \`cms module:add ${name}\`, or take its entry out of ${LOCK_FILE} if the change is yours.`
  if (entry.version !== version) throw new Unloadable(`Its version is ${version}, and ${LOCK_FILE} says ${entry.version}.`, hint)
  if (entry.tree !== tree) throw new Unloadable(`Its files are others than those that ${LOCK_FILE} names.`, hint)
}

async function offOr(
  name: string,
  version: string | (() => string | undefined),
  load: () => Promise<LoadedModule>,
): Promise<Found> {
  try {
    return { module: await load() }
  } catch (error) {
    const known = typeof version === 'function' ? version() : version
    return { off: { name, ...(known !== undefined && { version: known }), reason: placedWords(error), ...hintOf(error) } }
  }
}

function hintOf(error: unknown): { readonly hint?: string } {
  const hint: unknown = error instanceof Error && 'hint' in error ? error.hint : undefined
  return typeof hint === 'string' ? { hint } : {}
}

async function inTime<T>(work: Promise<T>, patience = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unloadable(`It takes more than ${patience / 1000} s to be loaded.`)), patience)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
