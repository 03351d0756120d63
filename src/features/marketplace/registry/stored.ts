import type { Head } from '#core/document.ts'
import type { Kind } from '#core/key.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Manifest } from '#packages/manifest.ts'
import { manifestOf } from '#packages/manifest.ts'
import { newestOf } from '#packages/versions.ts'
import type { AuditedThing } from '../../audited-thing.ts'
import type { PrivateThing } from '../../private-thing.ts'

/** The private kinds of a registry: what is known of a name, of each version, and the packages in parts. */
export const MODULES: Kind = '.modules'
export const VERSIONS: Kind = '.modules-versions'
export const PACKAGES: Kind = '.modules-packages'

/** Modules as events tell of them: each version that is published makes one. */
export const TOLD_MODULES: PrivateThing = {
  kind: MODULES,
  sort: 'module',
  names: { published: 'version' },
  deeds: { created: 'published', updated: 'published' },
}

/** Modules as the audit log tells of them: a download is no change of one. */
export const AUDITED_MODULES: AuditedThing = {
  kind: MODULES,
  sort: 'module',
  names: { published: 'version', versions: 'versions', owner: 'owner', deprecated: 'deprecated' },
  actions: { created: 'module.published', changed: { published: 'module.published', versions: 'module.withdrawn' } },
}

/** A version as the document of its module names it. */
export interface VersionName {
  readonly version: string
  readonly withdrawn: boolean
}

/** A name, as its document has it. Times are RFC 3339 UTC with milliseconds. */
export interface StoredModule {
  readonly name: string
  /** The id of who registered it, or to whom it was given: `user:<id>`, `token:<id>`. */
  readonly owner: string
  readonly versions: readonly VersionName[]
  /** The version that was published last. */
  readonly published: string
  readonly downloads: number
  /** A sentence that says why it should not be used any more. */
  readonly deprecated: string | undefined
}

/** A version of a module. `integrity` and `size` are null where the package is elsewhere. */
export interface StoredVersion {
  readonly manifest: Manifest
  readonly repository: string | undefined
  readonly integrity: string | undefined
  readonly signature: string | undefined
  readonly size: number
  /** The number of parts that its package is kept in; 0 where it is elsewhere. */
  readonly parts: number
  readonly publishedAt: string
  readonly withdrawnAt: string | undefined
}

/** Returns the newest version that is not withdrawn; undefined where all are. */
export function newestIn({ versions }: Pick<StoredModule, 'versions'>): string | undefined {
  return newestOf(versions.filter(({ withdrawn }) => !withdrawn).map(({ version }) => version))
}

/** Reads the document of a name. */
export function readModule({ key, fields }: Head): StoredModule {
  const versions = Array.isArray(fields.versions) ? fields.versions : []
  return {
    name: key.id,
    owner: textOf(fields.owner) ?? '',
    versions: versions.flatMap((one) =>
      isMap(one) && typeof one.version === 'string' ? [{ version: one.version, withdrawn: one.withdrawn === true }] : [],
    ),
    published: textOf(fields.published) ?? '',
    downloads: numberOf(fields.downloads),
    deprecated: textOf(fields.deprecated),
  }
}

/** A name as its document has it. */
export function moduleFields({ owner, versions, published, downloads, deprecated }: StoredModule): Fields {
  return {
    ...{ owner, published, downloads, deprecated: deprecated ?? null },
    versions: versions.map(({ version, withdrawn }) => ({ version, withdrawn })),
  }
}

/** Reads the document of a version; undefined where it holds none. */
export function readVersion({ fields }: Head): StoredVersion | undefined {
  const manifest = manifestIn(fields.manifest)
  if (!manifest) return undefined
  return {
    manifest,
    repository: textOf(fields.repository),
    integrity: textOf(fields.integrity),
    signature: textOf(fields.signature),
    size: numberOf(fields.size),
    parts: numberOf(fields.parts),
    publishedAt: textOf(fields.published) ?? '',
    withdrawnAt: textOf(fields.withdrawn),
  }
}

/** A version as its document has it. */
export function versionFields(version: StoredVersion): Fields {
  const { manifest, repository, integrity, signature, size, parts, publishedAt, withdrawnAt } = version
  return {
    manifest: { ...manifest, tags: [...manifest.tags], permissions: [...manifest.permissions] },
    ...{ repository: repository ?? null, integrity: integrity ?? null, signature: signature ?? null },
    ...{ size, parts, published: publishedAt, withdrawn: withdrawnAt ?? null },
  }
}

function manifestIn(value: Json | undefined): Manifest | undefined {
  try {
    return manifestOf(value)
  } catch {
    return undefined
  }
}

function isMap(value: Json): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}
