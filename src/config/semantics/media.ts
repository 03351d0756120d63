import { parseSize } from '#lib/size.ts'
import { type Fault, valueFault } from '../faults.ts'
import type { Config } from '../schema.ts'
import { isPlainAddress } from './site.ts'

/** The most bytes of a file in a bucket: S3 copies no larger object in one step. */
const MOST_IN_BUCKET = 5_000_000_000

/** Characters that a key may have: whatever a header may hold. A line break at the end of a variable is none. */
const KEY = /^[\x21-\x7e]+$/

/** Finds the semantic problems in `media`, once it matches the schema. No message shows a key. */
export function mediaFaults({ media }: Config): Fault[] {
  const { store, s3, max_size: most } = media
  if (store !== 's3') return []
  if (!s3)
    return [
      valueFault(['media', 'store'], 'is s3, but media.s3 is missing.', 'Add media.s3 with endpoint, region, bucket and keys.'),
    ]
  const faults: Fault[] = []
  if (!isPlainAddress(s3.endpoint))
    faults.push(
      valueFault(
        ['media', 's3', 'endpoint'],
        'must be the address of a server, without a query or keys: https://s3.eu-central-1.amazonaws.com.',
        'The bucket is named in media.s3.bucket.',
      ),
    )
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(s3.bucket))
    faults.push(valueFault(['media', 's3', 'bucket'], 'must be the name of a bucket: letters, digits, ".", "_" and "-".'))
  if (!/^[A-Za-z0-9-]+$/.test(s3.region))
    faults.push(valueFault(['media', 's3', 'region'], 'must be the name of a region, such as eu-central-1, us-east-1 or auto.'))
  for (const key of ['access_key_id', 'secret_access_key'] as const)
    if (!KEY.test(s3[key]))
      faults.push(valueFault(['media', 's3', key], 'has a space, a line break or another character that no key has.'))
  if ((parseSize(most) ?? 0) > MOST_IN_BUCKET)
    faults.push(valueFault(['media', 'max_size'], 'must be at most 5GB: a bucket takes no larger file in one step.'))
  return faults
}
