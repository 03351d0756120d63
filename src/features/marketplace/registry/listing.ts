import { InvalidInput } from '#lib/errors.ts'
import { compareText } from '#lib/text/compare.ts'
import { composed } from '#lib/text/normal-form.ts'
import { compareVersions } from '#packages/versions.ts'
import type { FoundModule, Registry } from './registry.ts'
import { newestIn, type StoredModule, type StoredVersion } from './stored.ts'

/** The orders of a list of modules. */
export const SORTS = ['downloads', 'updated', 'name'] as const

/** The words that a list of modules is narrowed by, and its order. */
export interface Search {
  readonly q?: string | undefined
  readonly tag?: string | undefined
  readonly sort?: string | undefined
}

const ORDERS = {
  downloads: (a, b) => b.module.downloads - a.module.downloads,
  updated: (a, b) => compareText(b.newest.publishedAt, a.newest.publishedAt),
  name: () => 0,
} satisfies Record<(typeof SORTS)[number], (a: FoundModule, b: FoundModule) => number>

/** Returns the modules that a search finds: all its words are in the name, the description, the author or the tags. */
export async function searched(registry: Registry, { q = '', tag, sort = 'downloads' }: Search): Promise<FoundModule[]> {
  if (q.length > 100) throw new InvalidInput({ q: ['The q must be at most 100 characters long.'] })
  const order = SORTS.find((one) => one === sort)
  if (!order) throw new InvalidInput({ sort: [`The sort must be one of ${SORTS.join(', ')}.`] })
  const words = folded(q).split(/\s+/).filter(Boolean)
  const found = (await registry.all()).filter(({ newest: { manifest } }) => {
    const { name, description, author, tags } = manifest
    const text = folded([name, description, author, ...tags].join('\n'))
    return words.every((word) => text.includes(word)) && (tag === undefined || tags.some((one) => folded(one) === folded(tag)))
  })
  return found.sort((a, b) => ORDERS[order](a, b) || compareText(a.module.name, b.module.name))
}

/** A module as answers have it. */
export function moduleView({ module, newest }: FoundModule) {
  const { manifest, integrity, signature, repository, publishedAt } = newest
  return {
    ...{ name: module.name, version: manifest.version, versions: offered(module) },
    ...{ description: manifest.description, author: manifest.author, license: manifest.license },
    ...{ tags: [...manifest.tags], cms: manifest.cms, downloads: module.downloads },
    ...{ integrity: integrity ?? null, signature: signature ?? null, repository: repository ?? null },
    ...{ published_at: publishedAt, deprecated: module.deprecated ?? null },
    withdrawn: newestIn(module) === undefined,
  }
}

/** A module with its readme, its permissions and each of its versions, as answers have it. */
export function wholeView(module: StoredModule, versions: readonly StoredVersion[], readme: string) {
  const byNewest = [...versions].sort((a, b) => compareVersions(b.manifest.version, a.manifest.version))
  const shown = newestIn(module) ?? module.published
  const newest = byNewest.find(({ manifest }) => manifest.version === shown) ?? byNewest[0]
  if (!newest) return undefined
  const { permissions, ...manifest } = newest.manifest
  return {
    ...moduleView({ module, newest }),
    permissions: [...permissions],
    manifest: { ...manifest, tags: [...manifest.tags], permissions: [...permissions] },
    readme,
    releases: byNewest.map((one) => ({
      ...{ version: one.manifest.version, cms: one.manifest.cms, permissions: [...one.manifest.permissions] },
      ...{ integrity: one.integrity ?? null, signature: one.signature ?? null, repository: one.repository ?? null },
      ...{ size: one.parts > 0 ? one.size : null, published_at: one.publishedAt, withdrawn: one.withdrawnAt !== undefined },
    })),
  }
}

function offered(module: StoredModule): string[] {
  const names = module.versions.filter(({ withdrawn }) => !withdrawn).map(({ version }) => version)
  return names.sort((a, b) => compareVersions(b, a))
}

function folded(text: string): string {
  return composed(text).toLowerCase()
}
