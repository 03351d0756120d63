import { findSite, type LoadedConfig, loadConfig } from '#config/load.ts'
import type { Backend } from '#core/backend.ts'
import type { Clock } from '#lib/clock.ts'
import type { S3Blobs } from '#stores/s3/blobs.ts'

/** Opens the bucket that a site keeps large bytes in, if its configuration says so. Nothing is sent to it yet. */
export async function bucketOf({ media }: LoadedConfig['config'], clock: Clock): Promise<S3Blobs | undefined> {
  if (media.store !== 's3' || !media.s3) return undefined
  const { S3Blobs } = await import('#stores/s3/blobs.ts')
  return new S3Blobs({ bucket: media.s3, clock })
}

/** The same, by a folder of the site, whatever it is kept in. */
export function bucketAt(directory: string, env: NodeJS.ProcessEnv, clock: Clock): Promise<S3Blobs | undefined> {
  return bucketOf(loadConfig(findSite(directory), env, 'files').config, clock)
}

/** Returns a backend that looks after the bucket that was opened for it, too. */
export function withBucket(backend: Backend, bucket: S3Blobs): Backend {
  return {
    ...backend,
    examine: async () => (await Promise.all([backend.examine(), bucket.examine()])).flat(),
    close: () => backend.close().finally(() => bucket.close()),
  }
}
