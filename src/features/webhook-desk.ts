import type { Access } from '#core/access/access.ts'
import type { ListMeta, Paging } from '#http/requests/paging.ts'

/** A webhook as the panel shows it; times are RFC 3339. */
export interface DeskWebhook {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly description: string
  readonly enabled: boolean
  readonly disabled_at: string | null
  readonly disabled_reason: string | null
  readonly configured: boolean
}

/** A delivery as the panel lists it; times are RFC 3339. */
export interface DeskDelivery {
  readonly id: string
  readonly type: string
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  /** The last answer; `status` null where there was none, and `body` says why. */
  readonly response: { readonly status: number | null; readonly body: string } | null
  readonly next_at: string | null
  readonly created_at: string
}

/** The deliveries of webhooks as the panel works with them. Each method calls what the API's route calls, and throws what that throws. */
export interface WebhookDesk {
  get(access: Access, id: string): Promise<DeskWebhook>
  deliveries(
    access: Access,
    id: string,
    paging: Paging,
  ): Promise<{ readonly data: readonly DeskDelivery[]; readonly meta: ListMeta }>
  test(access: Access, id: string): Promise<unknown>
  enable(access: Access, id: string): Promise<unknown>
  /** Resolves with the new secret. */
  rotate(access: Access, id: string): Promise<{ readonly secret: string }>
  replay(access: Access, delivery: string): Promise<unknown>
}
