import { createHmac, randomBytes } from 'node:crypto'
import type { Document } from '#core/document.ts'
import { type Key, type Kind, keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import type { AuditedThing } from '../audited-thing.ts'

/** The private kind that the secrets of webhooks are in: nothing that lists webhooks reads it. */
const SECRETS: Kind = '.webhook-secrets'

/** Their secrets as the audit log tells of them: that one is another. */
export const AUDITED_SECRETS: AuditedThing = { kind: SECRETS, sort: 'webhook', names: { secret: 'secret' }, part: {} }

/** Milliseconds for which the secret before is good, too. */
const OVERLAP_MS = 86_400_000
/** Bytes of a secret: as many as of the hash (Standard Webhooks asks for 24 to 64). */
const BYTES = 32
const PREFIX = 'whsec_'

/** The secret of a webhook, and the one before. */
export interface Secrets {
  readonly secret: string
  readonly previous?: string | undefined
  /** The time up to which the one before is good, in milliseconds since 1970. */
  readonly until?: number | undefined
}

/** Makes a secret: `whsec_` and 32 random bytes in base64. */
export function makeSecret(): string {
  return `${PREFIX}${randomBytes(BYTES).toString('base64')}`
}

/** The secrets that a document holds; undefined where it holds none. */
export function readSecrets(document: Document | undefined): Secrets | undefined {
  const { secret, previous, until } = document?.fields ?? {}
  if (typeof secret !== 'string') return undefined
  return typeof previous === 'string' && typeof until === 'number' ? { secret, previous, until } : { secret }
}

/** The key of the secrets of a webhook. */
export function secretsKey(id: string): Key {
  return keyOf(SECRETS, id)
}

/** The change that gives a webhook a secret; the one before is good for a day. */
export function secretChange(
  id: string,
  secret: string,
  before: { readonly secrets: Secrets; readonly now: number } | undefined,
): Change {
  const previous = before ? { previous: before.secrets.secret, until: before.now + OVERLAP_MS } : {}
  return { key: secretsKey(id), put: { set: { secret, ...previous }, body: '' } }
}

/**
 * Returns the header `webhook-signature` of Standard Webhooks 1: for each secret that is good now `v1,` and the HMAC-SHA256 of id,
 * seconds and body, with a space between.
 */
export function signatureOf({ secret, previous, until = 0 }: Secrets, sent: { id: string; at: number; body: string }): string {
  const signed = `${sent.id}.${Math.floor(sent.at / 1000)}.${sent.body}`
  const good = previous !== undefined && sent.at < until ? [secret, previous] : [secret]
  return good.map((one) => `v1,${createHmac('sha256', bytesOf(one)).update(signed).digest('base64')}`).join(' ')
}

/** A secret of the configuration that is none of Standard Webhooks is taken as it is written. */
function bytesOf(secret: string): Buffer {
  return secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret)
}
