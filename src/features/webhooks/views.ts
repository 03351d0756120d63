import type { Delivery } from './delivery-store.ts'
import type { DeliveryView, WebhookView } from './schema.ts'
import type { FindMaker, Maker } from './sending/told.ts'
import type { Webhook } from './webhook.ts'

/** Resolves with a webhook as it may be shown: never its secret. */
export async function webhookView(webhook: Webhook, makerOf: FindMaker): Promise<WebhookView> {
  const { id, url, events, description, maker, createdAt, isEnabled, disabledAt, disabledReason, configured } = webhook
  const found = maker === undefined ? undefined : await makerOf(maker)
  const isOn = isEnabled && (configured !== undefined || found !== undefined)
  return {
    ...{ id, url, events: [...events], description, enabled: isOn },
    disabled_at: timeOf(disabledAt),
    disabled_reason: isOn ? null : (disabledReason ?? 'The account that made it is gone, or disabled.'),
    configured: configured !== undefined,
    owner: ownerOf(maker, found),
    created_at: timeOf(createdAt),
  }
}

function ownerOf(maker: string | undefined, found: Maker | undefined): WebhookView['owner'] {
  const [, kind, id = ''] = /^(user|token):(.+)$/.exec(maker ?? '') ?? []
  return kind === 'user' || kind === 'token' ? { kind, id, name: found?.name ?? '' } : null
}

/** Returns a delivery as it may be shown. */
export function deliveryView({ id, sent, state, attempts, answer, nextAt, createdAt }: Delivery): DeliveryView {
  const { event } = sent
  return {
    ...{ id, event: event.id, type: event.type, status: state, attempts },
    response: answer ? { status: answer.status, body: answer.body } : null,
    next_at: timeOf(nextAt),
    created_at: timeOf(createdAt) ?? '',
  }
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}
