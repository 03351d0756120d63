import type { Config } from '#config/schema.ts'
import { settingsOf } from '#core/settings.ts'
import { type AdminFeatureDeps, makeAdmin } from '#features/admin/feature.ts'
import { type AuditFeatureDeps, makeAudit } from '#features/audit/feature.ts'
import { type AuthFeatureDeps, makeAuth } from '#features/auth/feature.ts'
import { type BillingFeatureDeps, makeBilling } from '#features/billing/feature.ts'
import { TOLD_SUBSCRIPTIONS } from '#features/billing/stored.ts'
import { makeDocs } from '#features/docs/feature.ts'
import { type EventsFeatureDeps, makeEvents } from '#features/events/feature.ts'
import { toldEvents } from '#features/events/shown.ts'
import type { Feature } from '#features/feature.ts'
import { FeatureSet, type FeatureTable } from '#features/feature-set.ts'
import { makeMarketplace } from '#features/marketplace/feature.ts'
import { TOLD_MODULES } from '#features/marketplace/registry/stored.ts'
import { type MediaFeatureDeps, makeMedia } from '#features/media/feature.ts'
import { makeMenus } from '#features/menus/feature.ts'
import { type MetricsFeatureDeps, makeMetrics } from '#features/metrics/feature.ts'
import { type ModulesFeatureDeps, makeModules } from '#features/modules/feature.ts'
import { withModuleSettings } from '#features/modules/module-settings.ts'
import { makeRecords } from '#features/records/feature.ts'
import { makeRevisions } from '#features/revisions/feature.ts'
import { makeSearch } from '#features/search/feature.ts'
import { makeSettings, type SettingsFeatureDeps } from '#features/settings/feature.ts'
import { makeSite, makeSitemap, type SiteFeatureDeps } from '#features/site/feature.ts'
import { makeTerms } from '#features/taxonomy/feature.ts'
import { makeTeams, type TeamsFeatureDeps } from '#features/teams/feature.ts'
import { OwnedTypes } from '#features/teams/owned-types.ts'
import { makeTokens, type TokensFeatureDeps } from '#features/tokens/feature.ts'
import { toldStore } from '#features/told-store.ts'
import { makeUsers } from '#features/users/feature.ts'
import { usersWith } from '#features/users/rights.ts'
import { TOLD_USERS } from '#features/users/stored.ts'
import { makeWebhooks, type WebhooksFeatureDeps } from '#features/webhooks/feature.ts'
import type { Bearers } from '#http/guarding/bearer.ts'
import { eitherOf } from '#http/guarding/guards.ts'
import { Throttles } from '#http/guarding/throttles.ts'
import { callers, peopleOf, siteCustomer } from './people.ts'

/** The dependencies of all features together. */
export interface SiteFeaturesDeps
  extends AdminFeatureDeps,
    AuditFeatureDeps,
    AuthFeatureDeps,
    Omit<BillingFeatureDeps, 'customers'>,
    MediaFeatureDeps,
    MetricsFeatureDeps,
    ModulesFeatureDeps,
    SettingsFeatureDeps,
    SiteFeatureDeps,
    Omit<TeamsFeatureDeps, 'people' | 'subscriptions'>,
    Omit<TokensFeatureDeps, 'ownerOf' | 'narrowing'>,
    WebhooksFeatureDeps {
  readonly config: Config
}

/** Everything that ships, in its order. A feature is made when it is first asked for, of those above it. */
function featureSet(given: SiteFeaturesDeps) {
  const hasModules = (given.modules?.on.length ?? 0) > 0
  const deps = hasModules ? { ...given, config: withModuleSettings(given.config, given.modules?.on ?? []) } : given
  const { config, clock, ledger, isShared } = deps
  // Nobody can sign in to a panel without sign-in, or be in a team.
  const hasTeams = config.features.teams && config.features.auth
  // They send nothing but events.
  const hasWebhooks = config.features.webhooks && config.features.events
  const ownedTypes = new OwnedTypes({ store: deps.store, types: config.types, areOn: hasTeams })
  const telling: SiteFeaturesDeps = { ...deps, store: toldStore(deps, config.features) }
  return new FeatureSet(
    (once) => {
      const lookup = () => (config.features.media ? media().offers.lookup : undefined)
      const records: () => ReturnType<typeof makeRecords> = once(() =>
        makeRecords(
          deps,
          lookup,
          {
            pastOf: (type) => (config.features.revisions ? revisions().pastOf(type) : undefined),
            preview: config.features.site ? (...asked) => site().preview(...asked) : undefined,
          },
          hasModules ? modules().check : undefined,
        ),
      )
      const users: () => ReturnType<typeof makeUsers> = once(() =>
        makeUsers({
          ...telling,
          leaving: async (id) => [
            ...(await tokens().offers.removals(id)),
            ...(hasTeams ? await teams().offers.removals(id) : []),
          ],
          narrow: (access) => ownedTypes.narrowed(access),
        }),
      )
      // Each has its end in the other: the type is said once, or it would be looked for in a circle.
      const tokens: () => ReturnType<typeof makeTokens> = once(() =>
        makeTokens({ ...telling, ownerOf: (id) => users().offers.acting(id), narrowing: ownedTypes }),
      )
      const media = once(() => makeMedia(deps, records().parts))
      const extensions = () => (hasModules ? modules().extensions : undefined)
      const site: () => ReturnType<typeof makeSite> = once(() =>
        makeSite({ ...deps, extensions: extensions() }, config.features.media ? () => media().offers.copies : undefined),
      )
      const menus = once(() => makeMenus(deps, records().parts))
      const settings = once(() => makeSettings(deps, lookup, records().parts))
      const terms = once(() => makeTerms(deps, records().parts))
      const search = once(() => makeSearch(deps))
      const auth = once(() => makeAuth(telling, users().offers))
      const teams: () => ReturnType<typeof makeTeams> = once(() =>
        makeTeams({
          ...telling,
          people: peopleOf(users().offers, users().invitations, () => auth().offers.accounts),
          subscriptions: config.features.billing ? () => billing().subscriptions : undefined,
        }),
      )
      const customers = () => (hasTeams ? teams().customers : siteCustomer(config, () => users().offers))
      // It has its end in the teams, too.
      const billing: () => ReturnType<typeof makeBilling> = once(() => makeBilling({ ...telling, customers: customers() }))
      const throttles = once(() => throttling(new Throttles(config.throttle, clock, isShared ? ledger : undefined)))
      const changed = () => [
        ...(config.features.menus ? [menus().offers.changes] : []),
        ...(config.features.media ? [media().offers.changes] : []),
        ...(config.features.settings ? [settings().offers.changes] : []),
      ]
      // It has its end in the records, too.
      const revisions: () => ReturnType<typeof makeRevisions> = once(() => makeRevisions(records().parts, deps, changed()))
      const shown = {
        auth: () => auth().offers,
        resources: () => [
          ...(config.features.api ? [records().resources] : []),
          ...(config.features.taxonomy ? [terms().resources] : []),
          ...(config.features.media ? [media().resources] : []),
          ...(config.features.menus ? [menus().resources] : []),
          auth().resources,
          ...(hasTeams ? [teams().resources] : []),
          tokens().resources,
          ...(hasWebhooks ? [webhooks().resources] : []),
          ...(config.features.settings ? [settings().resources] : []),
          ...(config.features.audit ? [audit().resources] : []),
          ...(hasModules ? [modules().panel.resources] : []),
        ],
        files: () => (config.features.media ? media().resources : undefined),
        billing: () => (config.features.billing ? billing().desk : undefined),
        webhooks: () => (hasWebhooks ? webhooks().desk : undefined),
        audit: () => (config.features.audit ? audit().desk : undefined),
        modules: () => (hasModules ? modules().panel.desk : undefined),
        marketplace: () => (config.features.modules ? marketplace().desk : undefined),
        changes: () => (config.features.revisions ? revisions().changes : undefined),
        search: () => (config.features.search ? search().offers : undefined),
        throttles: () => throttles().offers,
      }
      const mayKnow: EventsFeatureDeps['mayKnow'] = {
        [TOLD_MODULES.kind]: async () => config.features.modules,
        [TOLD_USERS.kind]: async (access) => access.may('users:read'),
        [TOLD_SUBSCRIPTIONS.kind]: async (access, id) => config.features.billing && billing().isOwner(access, id),
      }
      const events = once(() => makeEvents({ ...deps, mayKnow }))
      const audit = once(() =>
        makeAudit(deps, async (email) => (config.features.auth ? users().offers.byEmail(email) : undefined)),
      )
      const acting = callers(config.features.auth ? () => users().offers : undefined, () => tokens().offers)
      const marketplace = once(() =>
        makeMarketplace({ ...telling, isKnown: async (owner) => (await acting(owner)) !== undefined }),
      )
      const webhooks: () => ReturnType<typeof makeWebhooks> = once(() =>
        makeWebhooks(telling, {
          ...{ log: events().offers.log, shown: events().offers.shown },
          makerOf: acting,
          owners: () => usersWith(users().offers, 'webhooks:write'),
        }),
      )
      const modules: () => ReturnType<typeof makeModules> = once(() =>
        makeModules(deps, {
          records: () => records().offers,
          settings: () => (config.features.settings ? settings().offers : undefined),
          declared: settingsOf(deps.config.settings),
          events: () => (config.features.events ? toldEvents(events().offers) : undefined),
          adopt: (throttle) => throttles().offers.adopt(throttle),
        }),
      )
      return {
        always: { throttles, tokens },
        api: { records },
        revisions: { revisions },
        search: { search },
        taxonomy: { terms },
        media: { media },
        menus: { menus },
        settings: { settings },
        marketplace: { marketplace },
        auth: { users, auth },
        teams: { teams },
        billing: { billing },
        // It ships as a module.
        analytics: {},
        admin: { admin: once(() => makeAdmin(deps, shown)) },
        docs: { docs: once(() => makeDocs(deps)) },
        events: { events },
        modules: { modules },
        webhooks: { webhooks },
        audit: { audit },
        metrics: { metrics: once(() => makeMetrics(deps)) },
        site: { site },
        sitemap: { sitemap: once(() => makeSitemap(site().offers, deps.withDrafts)) },
      } satisfies Record<keyof Config['features'] | 'marketplace' | 'always', FeatureTable[string]>
    },
    {
      ...config.features,
      admin: config.features.admin && config.features.auth,
      teams: hasTeams,
      webhooks: hasWebhooks,
      modules: hasModules,
      marketplace: config.features.modules,
      always: true,
    },
    deps,
  )
}

function throttling(throttles: Throttles) {
  return { offers: throttles, begin: () => throttles.begin(), close: () => throttles.close() } satisfies Feature
}

/** The features of a server: those that are switched on, in their order, with who may call them and how often. */
export interface Serving {
  readonly features: readonly Feature[]
  readonly bearers: Bearers
  readonly throttles: Throttles
}

/** The features of a site. */
export interface SiteFeatures {
  /** The objects that features offer, by name. */
  readonly features: ReturnType<typeof featureSet>['offers']
  /** Their life in a server that listens, and their end. */
  readonly lives: Pick<ReturnType<typeof featureSet>, 'begin' | 'close'>
  /** Makes what is switched on. Throws BadConfig where the configuration names what is not there. */
  serving(): Serving
}

/** Makes the features of a site. */
export function siteFeatures(deps: SiteFeaturesDeps): SiteFeatures {
  const lives = featureSet(deps)
  const features = lives.offers
  const { auth } = deps.config.features
  return {
    features,
    lives,
    serving: () => {
      const bearers = auth ? eitherOf(features.tokens, features.auth.people) : features.tokens
      return { features: lives.on(), bearers, throttles: features.throttles }
    },
  }
}
