import type { Mail } from '#core/mail.ts'
import type { BillingDesk } from '../billing-desk.ts'
import type { Customers } from '../customers.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import type { TeamSubscriptions } from '../subscription-view.ts'
import { Billing } from './billing.ts'
import type { InvoiceTerms, Seller } from './invoice.ts'
import { invoicePages } from './invoice-page.ts'
import { Kept } from './kept.ts'
import { letterComposers } from './letters.ts'
import { Manual } from './manual.ts'
import { moneyText } from './money.ts'
import type { Plan } from './subscription.ts'
import { BillingSweep } from './sweep.ts'
import { teamSubscriptions } from './team-subscriptions.ts'

/** The part of the configuration that billing acts on. */
export interface BillingSettings {
  readonly currency: string
  readonly seller: Seller
  readonly tax_percent: number
  readonly terms_days: number
  readonly plans: readonly Plan[]
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
}

/** Makes the subscriptions and invoices of a site. */
export function makeBilling({ store, ledger, clock, config, mail, customers, isShared }: BillingFeatureDeps) {
  const { site, admin, features, billing: settings } = config
  const { currency, plans } = settings
  const seller = { ...settings.seller, name: settings.seller.name || site.name }
  const { timezone, locale } = site
  const terms: InvoiceTerms = { seller, taxPercent: settings.tax_percent, termsDays: settings.terms_days, timezone }
  const home = homeOf(features.admin && features.auth ? (admin.url ?? site.url) : undefined, site.url)
  const kept = new Kept(store)
  const manual = new Manual({ store, kept, clock, customers, terms, currency })
  const billing = new Billing({ kept, gateway: manual, customers, plans, currency, terms, home })
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
  const sweep = new BillingSweep({ kept, manual, customers, mailer, ledger, clock, isShared })
  const page = invoicePages({ locale, timezone })
  const desk: BillingDesk = {
    customers: (access, most) => billing.customers(access, most),
    plans: () => billing.plans(),
    overview: (access, team) => billing.overview(access, team),
    checkout: (access, asked) => billing.checkout(access, asked),
    cancel: (access, team) => billing.cancel(access, team),
    resume: (access, team) => billing.resume(access, team),
    invoices: (access, of, paging) => billing.invoices(access, of, paging),
    page: async (access, id) => page(await billing.invoice(access, id)),
    close: (access, id, status) => billing.close(access, id, status),
    money: (amount, currency) => moneyText(amount, currency, locale),
  }
  return {
    offers: { billing, sweep },
    desk,
    isOwner: (access, id) => billing.isOwner(access, id),
    subscriptions: teamSubscriptions(kept, plans),
    routes: async (app, { api }) => {
      const { billingRoutes } = await import('./routes.ts')
      if (config.features.api) await billingRoutes(app, { billing, page, ...api })
    },
    begin: () => sweep.begin(),
    close: () => sweep.close(),
  } satisfies Feature & { readonly subscriptions: TeamSubscriptions; readonly desk: BillingDesk } & Pick<Billing, 'isOwner'>
}

function homeOf(panel: string | undefined, site: string): string {
  return panel === undefined ? site : `${panel.replace(/\/+$/, '')}/admin/billing`
}
