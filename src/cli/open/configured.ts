import { join } from 'node:path'
import { findSite, type LoadedConfig, loadConfig } from '#config/load.ts'
import { secretOf } from '#config/secret.ts'
import type { Author } from '#core/document.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { CustomTypes } from '#core/types/custom-types.ts'
import { contentTypes } from '#core/types/types.ts'
import { systemClock } from '#lib/clock.ts'
import { parseSize } from '#lib/size.ts'
import type { FilesFolder } from '#stores/files/transfer/hold.ts'
import type { PostgresOptions } from '#stores/postgres/options.ts'

/**
 * Returns the options of the files backend for the site that contains `directory`, as if it were kept in files; `fieldTypes` are those
 * that modules bring.
 */
export function folderOf(
  directory: string,
  env: NodeJS.ProcessEnv,
  fieldTypes: CustomTypes,
): FilesFolder & { readonly host: string } {
  const { config, root, fingerprint } = loadConfig(findSite(directory), env, 'files')
  const { site, git, storage, media } = config
  const besideMax = parseSize(media.git_max) ?? 0
  const folder = { root, content: site.content, privateDir: join(root, storage.private_dir), git, fingerprint, besideMax }
  return { ...folder, types: typesOf(config, fieldTypes), clock: systemClock, watch: false, host: new URL(site.url).hostname }
}

/** The same, were it kept in a database. */
export function databaseOf(directory: string, env: NodeJS.ProcessEnv, fieldTypes: CustomTypes): PostgresOptions {
  const { config } = loadConfig(findSite(directory), env, 'postgres')
  return { url: config.storage.url, types: typesOf(config, fieldTypes), clock: systemClock, watch: false, secret: secretOf(env) }
}

/** The types that a configuration declares; `fieldTypes` are those that modules bring. */
export function typesOf(
  { types, taxonomies, statuses, site, build }: LoadedConfig['config'],
  fieldTypes: CustomTypes = new Map(),
): ContentTypes {
  return contentTypes({ types, taxonomies, statuses, timezone: site.timezone, urls: build.urls, fieldTypes })
}

/** Returns the author for a person at the machine, from the environment. */
export function localAuthor(env: NodeJS.ProcessEnv, host: string): Author {
  const name = env.GIT_AUTHOR_NAME || env.USER || env.LOGNAME || 'local'
  return { name, email: env.GIT_AUTHOR_EMAIL || `${name.replace(/[^\w.-]/g, '') || 'local'}@${host}` }
}
