/** A bucket, as `media.s3` of the configuration names it. */
export interface BucketSettings {
  /** The address of its server, `https://host`, with a path where the bucket lies below one. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly access_key_id: string
  readonly secret_access_key: string
}

/** Limits of the requests to a bucket. */
export interface RequestLimits {
  /** Attempts of a request, the first one included. */
  readonly attempts: number
  /** The longest wait, in milliseconds, for anything to be sent or to come. */
  readonly idleMs: number
  /** The longest time, in milliseconds, of one attempt; of a download, until it begins. */
  readonly attemptMs: number
  /** Resolves after some milliseconds: between two attempts. */
  readonly pause: (ms: number) => Promise<unknown>
}
