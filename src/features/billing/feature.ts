import type { Mail } from '#core/mail.ts'
import type { Placed } from '#lib/errors.ts'
import type { BillingDesk } from '../billing-desk.ts'
import type { Customers } from '../customers.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import type { TeamSubscriptions } from '../subscription-view.ts'
import { Billing } from './billing.ts'
import type { Gateway } from './gateway.ts'
import type { InvoiceTerms, Seller } from './invoice.ts'
import { invoicePages } from './invoice-page.ts'
import { Kept } from './kept.ts'
import { letterComposers } from './letters.ts'
import { Manual } from './manual.ts'
import { moneyText } from './money.ts'
import type { OfOurs } from './stripe/mapping.ts'
import type { LoadStripe, StripeSettings } from './stripe/sdk.ts'
import { StripeGateway } from './stripe/stripe.ts'
import { BillingSweep } from './sweep.ts'
import { teamSubscriptions } from './team-subscriptions.ts'

/** The origin where Stripe has people pay, for who has no domain of their own there. */
const CHECKOUT = 'https://checkout.stripe.com'

/** The part of the configuration that billing acts on. */
export interface BillingSettings {
  readonly gateway: 'manual' | 'stripe'
  readonly currency: string
  readonly seller: Seller
  readonly tax_percent: number
  readonly terms_days: number
  readonly plans: OfOurs['plans']
  /** Absent where the gateway is another. */
  readonly stripe?: StripeSettings
}

/** The dependencies of billing. */
export interface BillingFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & {
    readonly billing: BillingSettings
    readonly admin: { readonly url: string | null }
    readonly features: { readonly admin: boolean; readonly auth: boolean }
  }
  /** The mail of the site, opened when it is first asked for. */
  readonly mail: () => Mail
  readonly customers: Customers
  /** Returns the place of a setting in the configuration. */
  readonly at: (path: readonly (string | number)[]) => Placed
  /** By default the package that is installed. */
  readonly loadStripe?: LoadStripe
}

/** Makes the subscriptions and invoices of a site. */
export function makeBilling(deps: BillingFeatureDeps) {
  const { store, ledger, clock, config, mail, customers, isShared } = deps
  const { site, admin, features, billing: settings } = config
  const { currency, plans } = settings
  const seller = { ...settings.seller, name: settings.seller.name || site.name }
  const { timezone, locale } = site
  const terms: InvoiceTerms = { seller, taxPercent: settings.tax_percent, termsDays: settings.terms_days, timezone }
  const home = homeOf(features.admin && features.auth ? (admin.url ?? site.url) : undefined, site.url)
  const kept = new Kept(store)
  const stripe = stripeOf({ ...deps, kept, seller, home })
  const gateway: Gateway = stripe ?? new Manual({ store, kept, clock, customers, terms, currency })
  const billing = new Billing({ kept, gateway, customers, plans, currency, home })
  // Without sign-in there is nobody to be written to.
  const mailer = features.auth ? mail() : undefined
  mailer?.composes(
    letterComposers({
      kept,
      terms,
      locale,
      addressOf: (id) => (home === site.url ? home : `${home}/invoices/${encodeURIComponent(id)}`),
    }),
  )
  const sweep = new BillingSweep({ kept, gateway, customers, mailer, ledger, clock, isShared })
  const page = invoicePages({ locale, timezone })
  const desk: BillingDesk = {
    customers: (access, most) => billing.customers(access, most),
    plans: () => billing.plans(),
    overview: (access, team) => billing.overview(access, team),
    checkout: async (access, asked, from) => {
      const { url } = await billing.checkout(access, asked, from)
      return { url: url === home ? undefined : url }
    },
    cancel: (access, team, from) => billing.cancel(access, team, from),
    resume: (access, team, from) => billing.resume(access, team, from),
    invoices: (access, of, paging) => billing.invoices(access, of, paging),
    page: async (access, id) => {
      const invoice = await billing.invoice(access, id)
      const url = await billing.pageOf(invoice)
      return url === undefined ? page(invoice) : { url }
    },
    formsTo: stripe ? [CHECKOUT] : [],
    isClosing: billing.isClosing,
    close: (access, id, status, from) => billing.close(access, id, status, from),
    money: (amount, currency) => moneyText(amount, currency, locale),
  }
  return {
    offers: { billing, sweep },
    desk,
    isOwner: (access, id) => billing.isOwner(access, id),
    subscriptions: teamSubscriptions(kept, gateway, plans),
    routes: async (app, { api }) => {
      const { billingRoutes } = await import('./routes.ts')
      if (config.features.api) await billingRoutes(app, { billing, page, ...api })
      if (!stripe) return
      const { stripeRoutes } = await import('./stripe/routes.ts')
      stripeRoutes(app, stripe)
    },
    begin: async () => {
      await gateway.begin?.()
      sweep.begin()
    },
    close: async () => {
      await sweep.close()
      await gateway.end?.()
    },
  } satisfies Feature & { readonly subscriptions: TeamSubscriptions; readonly desk: BillingDesk } & Pick<Billing, 'isOwner'>
}

function stripeOf(
  deps: BillingFeatureDeps & Pick<ConstructorParameters<typeof StripeGateway>[0], 'kept' | 'seller' | 'home'>,
): StripeGateway | undefined {
  const { gateway, stripe: settings, plans } = deps.config.billing
  if (gateway !== 'stripe' || !settings) return undefined
  const chosenAt = () => deps.at(['billing', 'gateway'])
  return new StripeGateway({ ...deps, settings, plans, site: deps.config.site.url, chosenAt, load: deps.loadStripe })
}

function homeOf(panel: string | undefined, site: string): string {
  return panel === undefined ? site : `${panel.replace(/\/+$/, '')}/admin/billing`
}
