import type { Access } from '#core/access/access.ts'
import type { Author, Document } from '#core/document.ts'
import { keyOf, parseKey } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, Forbidden, InvalidInput, NotFound, Stale } from '#lib/errors.ts'
import { isOwnName } from '#packages/own-names.ts'
import { type Published, readPublished } from './input.ts'
import {
  MODULES,
  moduleFields,
  newestIn,
  PACKAGES,
  readModule,
  readVersion,
  type StoredModule,
  type StoredVersion,
  VERSIONS,
  versionFields,
} from './stored.ts'

/** Characters of base64 in a part of a package: a store keeps no document of over 2 MiB. They are given as they are kept, which takes a
 * quarter of the time that composing them does. */
const PART = 512 * 1024
/** Number of times that a change is made anew because another came in between. */
const TRIES = 20
/** The most versions of a module. */
const MOST_VERSIONS = 1_000

/** The dependencies of a registry. */
export interface RegistryDeps {
  readonly store: Store
  readonly clock: Clock
  /** Returns whether somebody is there who can own a name: `user:<id>`, `token:<id>`. */
  readonly isKnown: (owner: string) => Promise<boolean>
}

/** A module with its newest version, or the newest of those that are withdrawn where all are. */
export interface FoundModule {
  readonly module: StoredModule
  readonly newest: StoredVersion
}

/** A change of a name: undefined leaves something as it is. */
export interface ModuleChange {
  readonly owner?: string
  readonly deprecated?: string | null
}

/** The modules that were published to this site: names, versions and packages. */
export class Registry {
  readonly #deps: RegistryDeps

  constructor(deps: RegistryDeps) {
    this.#deps = deps
  }

  /** All names that have a version which is not withdrawn, each with its newest. */
  async all(): Promise<FoundModule[]> {
    const { store } = this.#deps
    const [modules, versions] = await Promise.all([store.heads(MODULES, {}), store.heads(VERSIONS, {})])
    const byId = new Map(versions.items.map((head) => [head.key.id, head]))
    return modules.items.map(readModule).flatMap((module): FoundModule[] => {
      const head = byId.get(versionId(module.name, newestIn(module) ?? ''))
      const newest = head && readVersion(head)
      return newest ? [{ module, newest }] : []
    })
  }

  /** One name, with all its versions, the newest first. Throws NotFound. */
  async get(name: string): Promise<{ module: StoredModule; versions: StoredVersion[]; readme: string }> {
    const module = (await this.#module(name))?.module
    if (!module) throw new NotFound(`There is no module "${name}" here.`)
    const found = await Promise.all(module.versions.map(({ version }) => this.#version(name, version)))
    const versions = found.flatMap((one) => (one?.version ? [one.version] : []))
    const shown = newestIn(module) ?? module.published
    return { module, versions, readme: (await this.#version(name, shown))?.document.body ?? '' }
  }

  /** A version, withdrawn or not. Throws NotFound. */
  async version(name: string, version: string): Promise<StoredVersion> {
    const found = (await this.#version(name, version))?.version
    if (found) return found
    throw new NotFound(`There is no version ${version} of a module "${name}" here.`)
  }

  /** The package of a version. Throws NotFound where it is not kept here. */
  async packageOf(name: string, version: string): Promise<Buffer> {
    const { parts, repository } = await this.version(name, version)
    if (parts === 0) throw new NotFound('The package is not kept here.', repository && `It is at ${repository}.`)
    const texts: string[] = []
    for (let n = 0; n < parts; n++) {
      const part = await this.#deps.store.get(keyOf(PACKAGES, partId(name, version, n)), 'once')
      if (!part) throw new NotFound('The package is gone.')
      texts.push(part.body)
    }
    return Buffer.from(texts.join(''), 'base64')
  }

  /**
   * Publishes a version. Throws InvalidInput for a package that is none, or is not what is said of it; Conflict for a version that is
   * there; Forbidden for a name that is somebody else's.
   */
  async publish(access: Access, body: unknown): Promise<FoundModule> {
    mustMayPublish(access)
    const given = await readPublished(body)
    const { name, version } = given.version.manifest
    if (isOwnName(name)) throw new InvalidInput({ name: [`The name "${name}" is one of Quire's own.`] })
    const stored: StoredVersion = { ...given.version, parts: partsOf(given).length, publishedAt: this.#now() }
    const module = await this.#change(name, access.author, (before) => {
      if (before && before.owner !== ownerOf(access)) throw new Forbidden(`The name "${name}" belongs to somebody else.`)
      if (before?.versions.some((one) => one.version === version))
        throw new Conflict(`There is a version ${version} of "${name}", which is never replaced.`, undefined, 'Count it up.')
      if ((before?.versions.length ?? 0) >= MOST_VERSIONS) throw new Conflict(`"${name}" has ${MOST_VERSIONS} versions already.`)
      const versions = [...(before?.versions ?? []), { version, withdrawn: false }]
      const fresh = { name, owner: ownerOf(access), downloads: 0, deprecated: undefined }
      return {
        module: { ...fresh, ...before, versions, published: version },
        along: [
          {
            key: keyOf(VERSIONS, versionId(name, version)),
            put: { set: versionFields(stored), body: given.readme },
            expects: 'absent',
          },
          ...partsOf(given).map(
            (text, n): Change => ({
              key: keyOf(PACKAGES, partId(name, version, n)),
              put: { source: Buffer.from(`body: "${text}"\n`) },
              expects: 'absent',
            }),
          ),
        ],
      }
    })
    return { module, newest: stored }
  }

  /** Withdraws a version: it is offered no more, and stays where it is named. Throws NotFound, Forbidden. */
  async withdraw(access: Access, name: string, version: string): Promise<void> {
    const found = await this.#version(name, version)
    if (!found?.version) throw new NotFound(`There is no version ${version} of a module "${name}" here.`)
    const withdrawn = { ...found.version, withdrawnAt: found.version.withdrawnAt ?? this.#now() }
    await this.#change(name, access.author, (before) => {
      mustMayChange(access, before, name)
      const versions = before.versions.map((one) => (one.version === version ? { version, withdrawn: true } : one))
      const along: Change = { key: keyOf(VERSIONS, versionId(name, version)), put: { set: versionFields(withdrawn) } }
      return { module: { ...before, versions }, along: [along] }
    })
  }

  /** Gives a name to somebody else, says why it should not be used any more, or that it may. Throws NotFound, Forbidden. */
  async change(access: Access, name: string, { owner, deprecated }: ModuleChange): Promise<void> {
    if (owner !== undefined && !(await this.#deps.isKnown(owner)))
      throw new InvalidInput({ owner: [`The owner "${owner}" is nobody who is here.`] })
    await this.#change(name, access.author, (before) => {
      mustMayChange(access, before, name)
      const sentence = deprecated === undefined ? before.deprecated : (deprecated ?? undefined)
      return { module: { ...before, owner: owner ?? before.owner, deprecated: sentence }, along: [] }
    })
  }

  /** Counts a download of a name. */
  async count(name: string): Promise<void> {
    await this.#change(name, { name: 'Quire', email: 'quire@localhost' }, (before) => {
      if (!before) throw new NotFound(`There is no module "${name}" here.`)
      return { module: { ...before, downloads: before.downloads + 1 }, along: [] }
    })
  }

  /** Changes the document of a name, with others in the same step; once more where another change came in between. */
  async #change(
    name: string,
    by: Author,
    change: (before: StoredModule | undefined) => { readonly module: StoredModule; readonly along: readonly Change[] },
  ): Promise<StoredModule> {
    for (let tries = 1; ; tries++) {
      const before = await this.#module(name)
      const { module, along } = change(before?.module)
      const own: Change = { key: keyOf(MODULES, name), put: { set: moduleFields(module) }, expects: before?.version ?? 'absent' }
      try {
        await this.#deps.store.write([own, ...along], by)
        return module
      } catch (error) {
        if (!(error instanceof Stale || error instanceof Conflict) || tries === TRIES) throw error
      }
    }
  }

  async #module(name: string): Promise<{ module: StoredModule; version: string } | undefined> {
    const key = parseKey(MODULES, name)
    const head = key && (await this.#deps.store.head(key))
    return head && { module: readModule(head), version: head.version }
  }

  async #version(name: string, version: string): Promise<{ version: StoredVersion | undefined; document: Document } | undefined> {
    const key = name.includes('@') || version.includes('@') ? undefined : parseKey(VERSIONS, versionId(name, version))
    const document = key && (await this.#deps.store.get(key))
    return document && { version: readVersion(document), document }
  }

  #now(): string {
    return new Date(this.#deps.clock.now()).toISOString()
  }
}

/** Throws Forbidden for who may not publish. */
export function mustMayPublish(access: Access): void {
  if (!access.may('modules:publish')) throw new Forbidden('This needs the right modules:publish.')
}

/** The id of who owns what the caller registers: of a person, whatever token they use. */
function ownerOf({ user, id }: Access): string {
  return user === undefined ? id : `user:${user}`
}

function mustMayChange(access: Access, module: StoredModule | undefined, name: string): asserts module is StoredModule {
  mustMayPublish(access)
  if (!module) throw new NotFound(`There is no module "${name}" here.`)
  // Who looks after the accounts of the registry can take away what does harm, and give a name back.
  if (module.owner !== ownerOf(access) && !access.may('users:write'))
    throw new Forbidden(`The name "${name}" belongs to somebody else.`)
}

function partsOf({ base64 }: Published): string[] {
  return Array.from({ length: Math.ceil(base64.length / PART) }, (_, n) => base64.slice(n * PART, (n + 1) * PART))
}

function versionId(name: string, version: string): string {
  return `${name}@${version}`
}

function partId(name: string, version: string, n: number): string {
  return `${name}@${version}@${n}`
}
