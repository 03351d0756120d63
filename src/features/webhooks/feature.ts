import type { Mail } from '#core/mail.ts'
import type { Placed } from '#lib/errors.ts'
import type { Allowing } from '#lib/net/guarded-request.ts'
import { isPublicAddress } from '#lib/net/public-address.ts'
import type { EventLog } from '../events/event-log.ts'
import type { ShownDeps } from '../events/shown.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import type { Resources } from '../resource.ts'
import type { WebhookDesk } from '../webhook-desk.ts'
import { configuredWebhooks, type WebhookSetting } from './configured.ts'
import { DeliveryStore } from './delivery-store.ts'
import { Letters, type Owner } from './letters.ts'
import { WebhookResource } from './panel/resources.ts'
import { Drains } from './sending/drains.ts'
import { PATIENCE_MS, Sender } from './sending/sender.ts'
import type { FindMaker } from './sending/told.ts'
import { WebhookStore } from './webhook-store.ts'
import { Webhooks } from './webhooks.ts'

/** The dependencies of webhooks. */
export interface WebhooksFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & {
    readonly webhooks: readonly WebhookSetting[]
    readonly admin: { readonly url: string | null }
    readonly features: { readonly admin: boolean; readonly auth: boolean }
  }
  /** Returns the place of the value at a path of the configuration. */
  readonly at: (path: readonly (string | number)[]) => Placed
  /** The mail of the site, opened when it is first asked for. */
  readonly mail: () => Mail
  /** The receivers that events may be sent to; by default those of the public internet, within ten seconds. */
  readonly receivers?: { readonly isAllowed: Allowing; readonly patience: number } | undefined
}

/** The parts of other features that webhooks need. */
export interface WebhookSources {
  readonly log: EventLog
  readonly shown: ShownDeps
  readonly makerOf: FindMaker
  /** The owners of the site, who are told of a webhook that was disabled. */
  readonly owners: () => Promise<readonly Owner[]>
}

/** Makes the webhooks of a site. Throws BadConfig where the configuration names one that can't be. */
export function makeWebhooks(deps: WebhooksFeatureDeps, { log, shown, makerOf, owners }: WebhookSources) {
  const { store, ledger, clock, isShared, config, at } = deps
  const { isAllowed, patience } = deps.receivers ?? { isAllowed: isPublicAddress, patience: PATIENCE_MS }
  const kept = new WebhookStore({ store, configured: configuredWebhooks(config.webhooks, at) })
  const deliveries = new DeliveryStore({ store, clock })
  const sender = new Sender({ clock, isAllowed, patience })
  const letters = new Letters({
    webhooks: kept,
    owners,
    mail: config.features.auth ? deps.mail() : undefined,
    site: config.site,
    panelUrl: panelUrlOf(config),
  })
  letters.begin()
  const drains = new Drains({
    ...{ ...shown, ledger, isShared, log, makerOf, deliveries, sender, webhooks: kept },
    failed: (webhook) => letters.send(webhook),
  })
  const wake = () => drains.wake()
  const webhooks = new Webhooks({ clock, webhooks: kept, deliveries, sender, log, makerOf, wake })
  return {
    offers: { webhooks, drains, forget: () => kept.forget() },
    resources: new WebhookResource(webhooks),
    desk: webhooks as WebhookDesk,
    routes: async (app, { api }) => {
      const { webhookRoutes } = await import('./routes.ts')
      app.register(async (scope) => webhookRoutes(scope, { webhooks, ...api }))
    },
    begin: () => {
      drains.begin()
    },
    close: () => drains.close(),
  } satisfies Feature & { readonly resources: Resources; readonly desk: WebhookDesk }
}

function panelUrlOf({ site, admin, features }: WebhooksFeatureDeps['config']): string | undefined {
  return features.admin && features.auth ? (admin.url ?? site.url).replace(/\/+$/, '') : undefined
}
