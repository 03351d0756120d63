import { createHash } from 'node:crypto'
import { BadConfig, InvalidInput, type Placed } from '#lib/errors.ts'
import { checkPatterns } from '../events/patterns.ts'
import type { Webhook } from './webhook.ts'

/** A webhook as the configuration has it. */
export interface WebhookSetting {
  readonly url: string
  readonly events: readonly string[]
  readonly secret: string
  readonly private_addresses: boolean
}

/** Returns the place of the value at a path of the configuration. */
type At = (path: readonly (string | number)[]) => Placed

/**
 * The webhooks of the configuration, as they are before anything came of them. Throws BadConfig for an address that is none of http
 * or https, or is there twice, and for names of events that there are not. No message has a secret in it.
 */
export function configuredWebhooks(settings: readonly WebhookSetting[], at: At): Webhook[] {
  const webhooks = settings.map((setting, index) => {
    check(setting, index, at)
    return configuredWebhook(setting)
  })
  const twice = webhooks.findIndex(({ id }, index) => webhooks.findIndex((one) => one.id === id) < index)
  if (twice >= 0)
    throw new BadConfig(
      `webhooks.${twice}.url is there twice.`,
      at(['webhooks', twice, 'url']),
      'Give it all its events in one place.',
    )
  return webhooks
}

function configuredWebhook({ url, events, secret, private_addresses }: WebhookSetting): Webhook {
  return {
    id: `whc_${createHash('sha256').update(url).digest('hex').slice(0, 16)}`,
    ...{ version: undefined, url, events, description: '', maker: undefined, createdAt: undefined },
    ...{ isEnabled: true, disabledAt: undefined, disabledReason: undefined, failingSince: undefined, after: 0 },
    configured: { secret, mayBePrivate: private_addresses },
  }
}

function check({ url, events }: WebhookSetting, index: number, at: At): void {
  const fault = urlFault(url)
  if (fault !== undefined) throw new BadConfig(`webhooks.${index}.url ${fault}`, at(['webhooks', index, 'url']))
  try {
    checkPatterns(events, 'events')
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new BadConfig(`webhooks.${index}.events: ${error.message}`, at(['webhooks', index, 'events']))
  }
}

/** Returns the reason why events can't be sent to an address, as the end of a sentence; undefined where they can. */
export function urlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return 'must be an address of http or https, such as https://example.org/hooks.'
  if (url.username !== '' || url.password !== '') return 'must be without a user name and password.'
  return undefined
}
