import type { Head, Version } from '#core/document.ts'
import type { Kind } from '#core/key.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { AuditedThing } from '../audited-thing.ts'

/** The private kind that webhooks are documents of; of those of the configuration, what came of them. */
export const WEBHOOKS: Kind = '.webhooks'

/** Webhooks as the audit log tells of them: the address of one may hold a secret. */
export const AUDITED_WEBHOOKS: AuditedThing = {
  kind: WEBHOOKS,
  sort: 'webhook',
  names: { url: 'url', events: 'events', description: 'description', maker: 'owner', enabled: 'enabled' },
  title: 'description',
}

/** A receiver of events, and where it stands. Times are milliseconds since 1970. */
export interface Webhook {
  readonly id: string
  /** Of its document; undefined where there is none yet. */
  readonly version: Version | undefined
  readonly url: string
  /** Names of events; `*` stands for any part. */
  readonly events: readonly string[]
  readonly description: string
  /** The caller who made it (`user:…`, `token:…`), and by whose rights it is told; undefined of those of the configuration. */
  readonly maker: string | undefined
  readonly createdAt: number | undefined
  readonly isEnabled: boolean
  readonly disabledAt: number | undefined
  readonly disabledReason: string | undefined
  /** The time of the first failure since anything was taken. */
  readonly failingSince: number | undefined
  /** The number of the last event that it is told of no more: it was, or is none of its, or was before it was made or enabled. */
  readonly after: number
  readonly configured: Configured | undefined
}

/** The part of a webhook that the configuration has. */
export interface Configured {
  readonly secret: string
  readonly mayBePrivate: boolean
}

/** The properties of a webhook that its document has, and that may change. */
export type WebhookChange = Partial<Omit<Webhook, 'id' | 'version' | 'configured'>>

/** The webhook that a document holds. */
export function readWebhook({ key, fields, version }: Head): Webhook {
  return {
    ...{ id: key.id, version, configured: undefined },
    url: text(fields.url) ?? '',
    events: Array.isArray(fields.events) ? fields.events.filter((one) => typeof one === 'string') : [],
    description: text(fields.description) ?? '',
    maker: text(fields.maker),
    createdAt: number(fields.created),
    // One that can't be read tells nobody anything.
    isEnabled: fields.enabled === true,
    disabledAt: number(fields.disabled),
    disabledReason: text(fields.reason),
    failingSince: number(fields.failing),
    after: number(fields.after) ?? 0,
  }
}

const NAMES: Readonly<Record<keyof WebhookChange, string>> = {
  url: 'url',
  events: 'events',
  description: 'description',
  maker: 'maker',
  createdAt: 'created',
  isEnabled: 'enabled',
  disabledAt: 'disabled',
  disabledReason: 'reason',
  failingSince: 'failing',
  after: 'after',
}

/** A change as its document has it: what is undefined is taken out. */
export function fieldsOf(change: WebhookChange): Fields {
  const entries = Object.entries(change) as [keyof WebhookChange, Json | undefined][]
  return Object.fromEntries(entries.map(([name, value]) => [NAMES[name], value ?? null]))
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}
