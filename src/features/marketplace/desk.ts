import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, NotFound } from '#lib/errors.ts'
import { Markdown } from '#markdown/markdown.ts'
import { permissionChanges, permissionWords } from '#packages/permissions.ts'
import { signerOf } from '#packages/proof.ts'
import { compareVersions, isWithin } from '#packages/versions.ts'
import type { DeskFound, DeskModule, DeskOffer, MarketplaceDesk } from '../marketplace-desk.ts'
import type { ListedModule, ModuleDetail } from './added/registry-client.ts'
import type { SiteModule, SiteModules, SiteModulesDeps } from './added/site-modules.ts'
import type { LoadedSet } from './loaded-set.ts'

/** The dependencies of the desk. */
export interface DeskDeps extends SiteModulesDeps {
  readonly modules: SiteModules
  /** The modules that were loaded when the site was opened. */
  readonly loaded: LoadedSet
}

/** Modules as the panel works with them. */
export class Desk implements MarketplaceDesk {
  readonly registry: string | undefined
  readonly #deps: DeskDeps
  readonly #markdown = new Markdown()

  constructor(deps: DeskDeps) {
    this.#deps = deps
    this.registry = deps.registry?.url
  }

  async there(): Promise<DeskModule[]> {
    const { modules, loaded } = this.#deps
    const shipped = loaded.on.filter(({ folder }) => folder === undefined)
    const ours = shipped.map(
      ({ name, version, description }): DeskModule => ({ name, version, description, state: 'on', from: 'shipped' }),
    )
    const others = (await modules.list()).filter(({ isShipped }) => !isShipped)
    return [...ours, ...others.map((one) => this.#viewOf(one))]
  }

  async search(query: Readonly<Record<string, string>>): Promise<{ modules: DeskFound[]; total: number }> {
    const { modules, total } = await this.#deps.modules.registry.search(query)
    return { modules: modules.map(foundOf), total }
  }

  async updates(): Promise<{ name: string; from: string; version: string }[]> {
    const { modules } = this.#deps
    const locked = (await modules.list()).filter(({ entry }) => entry !== undefined)
    const newest = await Promise.all(locked.map(({ name }) => modules.registry.get(name).catch(ifGone)))
    return locked.flatMap(({ name, entry }, at) => {
      const version = newest[at]?.version
      return entry && version && compareVersions(version, entry.version) > 0 ? [{ name, from: entry.version, version }] : []
    })
  }

  async offer(name: string): Promise<DeskOffer> {
    const { modules, registry } = this.#deps
    const here = (await modules.list()).find((one) => one.name === name)
    const there = here && this.#viewOf(here)
    const detail = registry && (await registry.get(name).catch((error) => (here ? undefined : raised(error))))
    if (detail) return this.#offered(detail, here, there)
    if (!here?.manifest || !there) throw new NotFound(`There is no module "${name}".`)
    const { description, author, license, permissions, cms } = here.manifest
    return {
      ...{ name, version: null, description, author, license, downloads: null, cms, fits: isWithin(this.#deps.version, cms) },
      ...{ readme: this.#html(await this.#readme(name), name), permissions: permissions.map(said), there },
      ...{ integrity: here.entry?.integrity ?? null, proof: here.entry?.signer ? 'good' : 'unchecked' },
      ...{ signer: here.entry?.signer ?? null, publishedAt: null, deprecated: null, changes: permissionChanges([], []) },
    }
  }

  async add(name: string, version: string): Promise<'added' | 'updated'> {
    const { modules } = this.#deps
    const plan = await modules.plan(name, version)
    await modules.apply(plan)
    return plan.from === undefined ? 'added' : 'updated'
  }

  remove(name: string): Promise<void> {
    return this.#deps.modules.remove(name)
  }

  enable(name: string, isOn: boolean): Promise<void> {
    return this.#deps.modules.enable(name, isOn)
  }

  #offered(detail: ModuleDetail, here: SiteModule | undefined, there: DeskModule | undefined): DeskOffer {
    const { keys, version: own } = this.#deps
    const { name, version, description, author, license, downloads, readme, permissions, cms, integrity, signature } = detail
    const claim = { name, version, integrity: integrity ?? '', ...(signature !== null && { signature }) }
    const signer = signerOf(claim, keys) ?? null
    const proof = signature === null ? 'none' : keys.length === 0 ? 'unchecked' : signer === null ? 'other' : 'good'
    return {
      ...{ name, version, description, author, license, downloads, cms, fits: isWithin(own, cms), integrity, proof, signer },
      ...{ readme: this.#html(readme, name), permissions: permissions.map(said), there },
      ...{ publishedAt: detail.published_at || null, deprecated: detail.deprecated },
      changes: permissionChanges(here?.manifest?.permissions ?? permissions, permissions),
    }
  }

  /** Raw HTML is shown as it was written, and links lead out of the panel or nowhere. */
  #html(readme: string, title: string): string {
    const resolve = (href: string) => (/^https?:\/\//i.test(href) ? href : '')
    return this.#markdown.render(readme, { title, resolve, raw: escaped }).html
  }

  async #readme(name: string): Promise<string> {
    return readFile(join(this.#deps.root, 'modules', name, 'README.md'), 'utf8').catch(() => '')
  }

  #viewOf({ name, isEnabled, entry, manifest, fault }: SiteModule): DeskModule {
    const { loaded } = this.#deps
    const on = loaded.on.find((one) => one.name === name && one.folder !== undefined)
    const off = loaded.off.find((one) => one.name === name)
    const version = manifest?.version ?? entry?.version ?? null
    const seen = { name, version, description: manifest?.description ?? '', from: entry ? 'registry' : 'site' } as const
    if (isEnabled && !off && on?.version === version) return { ...seen, state: 'on' }
    if (isEnabled && off && (off.version === undefined || off.version === version))
      return { ...seen, state: 'off', reason: off.reason, hint: off.hint }
    if (isEnabled && fault !== undefined) return { ...seen, state: 'off', reason: fault }
    return { ...seen, state: isEnabled || on ? 'due' : 'disabled' }
  }
}

function foundOf({ name, version, description, author, tags, downloads, signature, deprecated }: ListedModule): DeskFound {
  return { name, version, description, author, tags, downloads, isSigned: signature !== null, deprecated }
}

function said(name: string) {
  return { name, says: permissionWords(name) }
}

function escaped(html: string): string {
  return html.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function ifGone(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error
}

function raised(error: unknown): never {
  throw error
}
