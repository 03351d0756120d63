import { join } from 'node:path'
import { type Driver, findSite, loadConfig } from '#config/load.ts'
import { type AuditTarget, entryOfDeed } from '#core/audit-log.ts'
import type { Remark } from '#core/backend.ts'
import type { Destination, Origin } from '#core/transfer.ts'
import type { CustomTypes } from '#core/types/custom-types.ts'
import { fieldTypesOf } from '#features/modules/field-types.ts'
import { systemClock } from '#lib/clock.ts'
import type { BackedUp } from '#stores/files/backup/backup.ts'
import type { Restored } from '#stores/files/backup/restore.ts'
import type { Begun } from '#stores/files/committing/begin.ts'
import type { FilesFolder } from '#stores/files/transfer/hold.ts'
import type { CarriedDatabase } from '#stores/postgres/transfer/name.ts'
import { bucketAt } from './bucket.ts'
import { databaseOf, folderOf, localAuthor } from './configured.ts'
import { fieldTypeRemarks, hasOwnTypes } from './field-types.ts'
import { modulesOf } from './modules.ts'

/** Writes a backup of the site that `directory` lies in to `file`, or into its private folder: as files, wherever it is kept. */
export async function backupSite(
  directory: string,
  env: NodeJS.ProcessEnv,
  { file, force, version, signal }: { file: string | undefined; force: boolean; version: string; signal: AbortSignal },
): Promise<BackedUp> {
  const { config, root } = loadConfig(findSite(directory), env)
  const [privateDir, out] = [join(root, config.storage.private_dir), join(root, config.build.out)]
  if (config.storage.driver === 'files') {
    const { backUpFiles } = await import('#stores/files/site.ts')
    return backUpFiles({ root, privateDir, out, git: config.git.enabled, clock: systemClock, version }, file, force)
  }
  const [{ backUpCopy }, { carry }] = await Promise.all([
    import('#stores/files/backup/copy.ts'),
    import('#features/storage/carrying.ts'),
  ])
  const { types } = await fieldTypesAt(directory, env)
  return backUpCopy({ folder: folderOf(directory, env, types), out, version }, file, force, async (destination) => {
    const { PostgresOrigin } = await import('#stores/postgres/transfer/origin.ts')
    const bucket = await bucketAt(directory, env, systemClock)
    try {
      const origin = await PostgresOrigin.open({ ...databaseOf(directory, env, types), ...(bucket && { blobs: bucket }) }, true)
      await carry(origin, destination, { force: true, signal, onProgress: () => undefined }).finally(() => origin.close())
    } finally {
      bucket?.close()
    }
  })
}

/** The types of fields that modules bring, and what is to be said of those that none does. Modules are loaded only for these. */
async function fieldTypesAt(directory: string, env: NodeJS.ProcessEnv): Promise<{ types: CustomTypes; remarks: Remark[] }> {
  const loaded = loadConfig(findSite(directory), env, 'postgres')
  if (!hasOwnTypes(loaded)) return { types: new Map(), remarks: [] }
  const { set, close } = await modulesOf(loaded, join(loaded.root, loaded.config.storage.private_dir), {})
  try {
    const types = fieldTypesOf(set)
    return { types, remarks: fieldTypeRemarks(loaded, types, set.off) }
  } finally {
    close()
  }
}

/** Notes in the audit log of a site, where that is on, what the person at the machine did that no store tells of. */
export async function noteDeed(
  directory: string,
  env: NodeJS.ProcessEnv,
  { action, target }: { readonly action: string; readonly target: AuditTarget },
): Promise<void> {
  const { config, root } = loadConfig(findSite(directory), env)
  if (!config.features.audit) return
  const { name } = localAuthor(env, new URL(config.site.url).hostname)
  const entry = entryOfDeed({ actor: { kind: 'local', id: null, name }, action, target }, systemClock.now())
  if (config.storage.driver === 'files') {
    const { appendToAuditLog } = await import('#stores/files/audit/trusted-audit-log.ts')
    return appendToAuditLog(join(root, config.storage.private_dir), entry)
  }
  const { appendToAuditLog } = await import('#stores/postgres/audit-log.ts')
  return appendToAuditLog(config.storage.url, entry)
}

/** Restores a backup into a folder that is empty or not there; see `restore`. */
export async function restoreSite(file: string, folder: string): Promise<Restored> {
  const { restore } = await import('#stores/files/backup/restore.ts')
  return restore(file, folder)
}

/**
 * Makes the folder of a site a repository, with a first commit of `created` (paths from the folder); `none` where it lies in one.
 */
export async function beginHistory(root: string, created: readonly string[], env: NodeJS.ProcessEnv): Promise<Begun> {
  const { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email } = env
  // Where the records are is of no matter to a repository.
  const otherwise = loadConfig(findSite(root), env, 'files').config.git.author
  const { beginRepository } = await import('#stores/files/committing/begin.ts')
  return beginRepository(root, created, { by: name && email ? { name, email } : undefined, otherwise })
}

/** The two ends of a move. */
export interface Move {
  readonly origin: Origin
  readonly destination: Destination
  /** The things to be said before. */
  readonly remarks: readonly Remark[]
  close(): Promise<void>
}

/** Opens both ends of a move of the site that `directory` lies in, whatever the configuration has it kept in now. */
export async function openMove(directory: string, env: NodeJS.ProcessEnv, to: Driver): Promise<Move> {
  const { folder, database, bucket, remarks } = await bothOf(directory, env)
  const origin = to === 'files' ? await databaseOrigin(database) : await filesOrigin(folder, env)
  try {
    const destination = to === 'files' ? await filesDestination(folder) : await databaseDestination(database)
    return {
      origin,
      destination,
      remarks: [...remarks, ...origin.remarks],
      close: () =>
        destination
          .close()
          .finally(() => origin.close())
          .finally(() => bucket?.close()),
    }
  } catch (error) {
    await origin.close()
    throw error
  }
}

/** Opens a site as its files have it and as the database has it, to compare the two. */
export async function openBoth(directory: string, env: NodeJS.ProcessEnv) {
  const { folder, database: address, bucket } = await bothOf(directory, env)
  const database = await databaseOrigin(address)
  try {
    const files = await filesOrigin(folder, env)
    return {
      files,
      database,
      close: () =>
        files
          .close()
          .finally(() => database.close())
          .finally(() => bucket?.close()),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Both of them, with the bucket that large bytes are kept in with either. */
async function bothOf(directory: string, env: NodeJS.ProcessEnv) {
  const { types, remarks } = await fieldTypesAt(directory, env)
  const bucket = await bucketAt(directory, env, systemClock)
  const [folder, database] = [folderOf(directory, env, types), databaseOf(directory, env, types)]
  if (!bucket) return { folder, database, bucket, remarks }
  return { folder: { ...folder, blobs: bucket, besideMax: 0 }, database: { ...database, blobs: bucket }, bucket, remarks }
}

async function filesOrigin(folder: FilesFolder & { readonly host: string }, env: NodeJS.ProcessEnv): Promise<Origin> {
  const { FilesOrigin } = await import('#stores/files/transfer/origin.ts')
  const otherwise = localAuthor(env, folder.host)
  return FilesOrigin.open(folder, { by: env.GIT_AUTHOR_NAME && env.GIT_AUTHOR_EMAIL ? otherwise : undefined, otherwise })
}

async function databaseOrigin(options: CarriedDatabase): Promise<Origin> {
  const { PostgresOrigin } = await import('#stores/postgres/transfer/origin.ts')
  return PostgresOrigin.open(options)
}

async function filesDestination(folder: FilesFolder): Promise<Destination> {
  const { FilesDestination } = await import('#stores/files/transfer/destination.ts')
  return FilesDestination.open(folder)
}

async function databaseDestination(options: CarriedDatabase): Promise<Destination> {
  const { PostgresDestination } = await import('#stores/postgres/transfer/destination.ts')
  return PostgresDestination.open(options)
}
