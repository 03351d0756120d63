import { buffer } from 'node:stream/consumers'
import type { HealthProblem } from '#core/backend.ts'
import { isSecureAddress } from '#lib/secure-address.ts'
import type { Bucket } from './bucket.ts'
import { type Explained, explained, Refused, Unanswered, unanswered } from './failures.ts'

const TEXT = Buffer.from('A trial of `cms doctor`, which removes it at once.\n')

/** Tries all that a site does with its bucket at this address, with an object of this key, which is removed again. */
export async function examine(bucket: Bucket, endpoint: string, key: string): Promise<HealthProblem[]> {
  const name = 'bucket'
  const wrong = await faultOf(bucket, key)
  if (wrong) return [{ name, state: 'todo', ...wrong }]
  const says = 'Objects are put, listed, read and removed.'
  if (isSecureAddress(endpoint)) return [{ name, state: 'ok', says }]
  return [{ name, state: 'note', says: `${says} What is sent can be read on the way.`, hint: 'Use https in media.s3.endpoint.' }]
}

async function faultOf(bucket: Bucket, key: string): Promise<Explained | undefined> {
  let step = 'put'
  try {
    await bucket.put(key, TEXT)
    step = 'listed'
    const found = []
    for await (const object of bucket.list(key)) found.push(object)
    step = 'read'
    const message = await bucket.get(key, 0, TEXT.length)
    const isSame = message !== undefined && (await buffer(message)).equals(TEXT)
    step = 'removed'
    await bucket.remove(key)
    for await (const upload of bucket.uploads(key)) await bucket.abort(upload.key, upload.id)
    if (isSame && found.length === 1) return undefined
    return { says: 'An object that was put is not there at once.', hint: 'A site needs a bucket that is consistent, as S3 is.' }
  } catch (thrown) {
    const error = unanswered(thrown)
    if (!(error instanceof Refused || error instanceof Unanswered)) throw error
    const { says, hint } = explained(error)
    const isRefused = error instanceof Refused && error.status === 403 && ['', 'AccessDenied'].includes(error.code)
    return { says: isRefused ? `An object can’t be ${step}. ${says}` : says, hint }
  }
}
