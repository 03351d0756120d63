import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { BadConfig, Conflict, NotFound } from '#lib/errors.ts'
import { NotTrusted, PackageFault } from '#packages/fault.ts'
import { LOCK_FILE, type Lock, type LockEntry, readLock, writeLock } from '#packages/lock.ts'
import { isModuleName, MANIFEST_FILE, type Manifest, parseManifest } from '#packages/manifest.ts'
import { type Inspected, inspect } from '#packages/package.ts'
import { permissionChanges } from '#packages/permissions.ts'
import { removeTree, replaceTree, settleTrees } from '#packages/placing.ts'
import { mustBeProven } from '#packages/proof.ts'
import { treeHash } from '#packages/tree.ts'
import { compareVersions, isWithin } from '#packages/versions.ts'
import { enabledIn, withEnabled } from './enabled.ts'
import type { RegistryClient } from './registry-client.ts'
import { elsewhere, releaseOf } from './releases.ts'
import { RootFiles } from './root-files.ts'

/** The dependencies of the modules of a site's folder. */
export interface SiteModulesDeps {
  /** The site's root, absolute. */
  readonly root: string
  /** The name of the configuration in it. */
  readonly configFile: string
  /** The registry of the configuration; undefined where there is none. */
  readonly registry: RegistryClient | undefined
  /** `modules.signing_keys`. */
  readonly keys: readonly string[]
  /** The version of Quire. */
  readonly version: string
  /** The names of modules that ship, and have no folder. */
  readonly shipped: readonly string[]
}

/** A module in the site's folder, or one that its lock or configuration names. */
export interface SiteModule {
  readonly name: string
  readonly isEnabled: boolean
  /** True of one that ships with Quire. */
  readonly isShipped: boolean
  readonly entry: LockEntry | undefined
  /** Undefined where it has no folder, or no manifest that can be read; `fault` says why. */
  readonly manifest: Manifest | undefined
  readonly fault: string | undefined
}

/** A module that was fetched, checked and read, to be put in place. */
export interface Plan extends Inspected {
  readonly tgz: Buffer
  readonly entry: Omit<LockEntry, 'tree'>
  readonly signature: string | null
  /** The version in place; undefined for a new one. */
  readonly from: string | undefined
  /** The difference of what it may do. */
  readonly changes: ReturnType<typeof permissionChanges>
  /** The reason why it should not be used any more. */
  readonly deprecated: string | null
  readonly isWithdrawn: boolean
}

const writes = new KeyedMutex()

/** The modules of a site's folder: added, updated and removed with the lock and the configuration. Nothing of them is run. */
export class SiteModules {
  readonly #deps: SiteModulesDeps
  readonly #files: RootFiles

  constructor(deps: SiteModulesDeps) {
    this.#deps = deps
    this.#files = new RootFiles(deps.root)
  }

  /** The registry. Throws BadConfig where there is none. */
  get registry(): RegistryClient {
    const { registry, configFile } = this.#deps
    if (registry) return registry
    const hint = `Write modules: { registry: https://… } into ${configFile}.`
    throw new BadConfig('There is no registry of modules.', { file: configFile }, hint)
  }

  /** The number of keys that are trusted. */
  get keys(): number {
    return this.#deps.keys.length
  }

  /** All that are there, or should be, by name. */
  async list(): Promise<SiteModule[]> {
    const lock = await this.#settled()
    const enabled = enabledIn(await this.#files.text(this.#deps.configFile))
    const folders = (await this.#folders()).filter((name) => existsSync(join(this.#folder, name, MANIFEST_FILE)))
    const names = [...new Set([...lock.keys(), ...enabled, ...folders])].sort()
    return Promise.all(
      names.map(async (name) => {
        const isEnabled = enabled.includes(name)
        if (this.#deps.shipped.includes(name))
          return { name, isEnabled, isShipped: true, entry: undefined, manifest: undefined, fault: undefined }
        return { name, isEnabled, isShipped: false, ...(await this.#look(name, lock)) }
      }),
    )
  }

  /**
   * Fetches a version, the newest by default, checks it and reads it; writes nothing. Throws NotFound; Conflict for an older version
   * than the one in place, unless `isDowngrade`, and for a folder that no lock entry names; PackageFault and NotTrusted.
   */
  async plan(name: string, version?: string, isDowngrade = false): Promise<Plan> {
    const detail = await this.registry.get(name)
    const release = releaseOf(detail, version)
    const lock = await this.#settled()
    const before = lock.get(name)
    if (!before && existsSync(join(this.#folder, name)))
      throw new Conflict(
        `There is a folder modules/${name} that was not added from a registry.`,
        undefined,
        'Move it away first.',
      )
    if (before && !isDowngrade && compareVersions(release.version, before.version) < 0)
      throw new Conflict(
        `${name} ${release.version} is older than ${before.version}, which is in place.`,
        undefined,
        'Give --downgrade if you mean it.',
      )
    const { integrity, signature } = release
    if (integrity === null) throw elsewhere(name, release)
    if (before?.version === release.version && before.integrity !== integrity)
      throw new NotTrusted(`The registry has another package of ${name} ${release.version} than the one that was added.`)
    const tgz = await this.registry.download(name, release.version)
    const claim = { name, version: release.version, integrity, ...(signature !== null && { signature }) }
    const signer = mustBeProven(tgz, claim, this.#deps.keys)
    const read = await inspect(tgz)
    this.#mustFit(read.manifest, name, release.version)
    const had = before && (await this.#look(name, lock)).manifest?.permissions
    return {
      ...read,
      tgz,
      signature,
      entry: { version: release.version, integrity, ...(signer !== undefined && { signer }), registry: this.registry.url },
      from: before?.version,
      changes: permissionChanges(had ?? [], read.manifest.permissions),
      deprecated: detail.deprecated,
      isWithdrawn: release.withdrawn,
    }
  }

  /** Puts what was fetched in place, and has it loaded from the next start on. A kill at any step leaves what was there whole. */
  async apply({ manifest: { name }, tgz, entry }: Plan): Promise<void> {
    const { configFile } = this.#deps
    await writes.run(this.#folder, async () => {
      // Looked at before anything is done: it may be written in a way that can't be changed.
      withEnabled(await this.#files.text(configFile), name, true)
      await replaceTree(this.#folder, name, tgz, (tree) => this.#bind(name, { ...entry, tree }))
      await this.#files.write(configFile, withEnabled(await this.#files.text(configFile), name, true))
    })
  }

  /** Throws NotFound for one that is not there, Conflict for one that was not added from a registry. */
  async mustBeRemovable(name: string): Promise<void> {
    const found = (await this.list()).find((one) => one.name === name)
    if (!found) throw new NotFound(`There is no module "${name}" on this site.`, '`cms module:list` shows those there are.')
    if (found.entry || !found.manifest) return
    const hint = 'Remove the folder yourself; it may be the only copy.'
    throw new Conflict(`modules/${name} was not added from a registry.`, undefined, hint)
  }

  /** Takes a module away: out of the configuration, the folder and the lock. Its data stays. Throws as `mustBeRemovable`. */
  async remove(name: string): Promise<void> {
    await this.mustBeRemovable(name)
    const { configFile } = this.#deps
    await writes.run(this.#folder, async () => {
      await this.#files.write(configFile, withEnabled(await this.#files.text(configFile), name, false))
      if (existsSync(join(this.#folder, name))) await removeTree(this.#folder, name, () => this.#bind(name, undefined))
      else await this.#bind(name, undefined)
    })
  }

  /** Has one that is there loaded from the next start on, or not any more. Throws NotFound. */
  async enable(name: string, isOn: boolean): Promise<void> {
    if (!(await this.list()).some((one) => one.name === name)) throw new NotFound(`There is no module "${name}" on this site.`)
    const { configFile } = this.#deps
    await writes.run(this.#folder, async () =>
      this.#files.write(configFile, withEnabled(await this.#files.text(configFile), name, isOn)),
    )
  }

  /** Compares each tree that the lock names with it: sentences by name for those that differ. */
  async verify(): Promise<{ readonly checked: number; readonly problems: readonly { name: string; message: string }[] }> {
    const lock = await this.#settled()
    const problems: { name: string; message: string }[] = []
    for (const [name, { tree, version }] of lock) {
      const found = await treeHash(join(this.#folder, name)).catch((error) => error as Error)
      const isGone = found instanceof Error && (found as NodeJS.ErrnoException).code === 'ENOENT'
      if (isGone) problems.push({ name, message: `modules/${name} is not there.` })
      else if (found instanceof Error) problems.push({ name, message: found.message })
      else if (found !== tree) problems.push({ name, message: `modules/${name} is not what was added as ${version}.` })
    }
    return { checked: lock.size, problems }
  }

  get #folder(): string {
    return join(this.#deps.root, 'modules')
  }

  #mustFit(manifest: Manifest, name: string, version: string): void {
    if (manifest.name !== name || manifest.version !== version)
      throw new NotTrusted(`The package says that it is ${manifest.name} ${manifest.version}, not ${name} ${version}.`)
    if (!isWithin(this.#deps.version, manifest.cms))
      throw new PackageFault(
        `${name} ${version} runs with Quire ${manifest.cms}; this is ${this.#deps.version}.`,
        undefined,
        `Choose another version: ${name}@<version>.`,
      )
  }

  /** The lock, with what was cut short before completed or taken back. */
  async #settled(): Promise<Lock> {
    const lock = readLock(await this.#files.text(LOCK_FILE))
    await settleTrees(this.#folder, lock)
    return lock
  }

  async #look(name: string, lock: Lock): Promise<Pick<SiteModule, 'entry' | 'manifest' | 'fault'>> {
    const entry = lock.get(name)
    try {
      const manifest = parseManifest(await readFile(join(this.#folder, name, MANIFEST_FILE), 'utf8'))
      return { entry, manifest, fault: undefined }
    } catch (error) {
      const isGone = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
      return {
        entry,
        manifest: undefined,
        fault: isGone ? `There is no modules/${name}/${MANIFEST_FILE}.` : (error as Error).message,
      }
    }
  }

  async #folders(): Promise<string[]> {
    const entries = await readdir(this.#folder, { withFileTypes: true }).catch(() => [])
    return entries.filter((entry) => entry.isDirectory() && isModuleName(entry.name)).map(({ name }) => name)
  }

  async #bind(name: string, entry: LockEntry | undefined): Promise<void> {
    const lock = new Map(readLock(await this.#files.text(LOCK_FILE)))
    if (entry) lock.set(name, entry)
    else lock.delete(name)
    await this.#files.write(LOCK_FILE, writeLock(lock))
  }
}
