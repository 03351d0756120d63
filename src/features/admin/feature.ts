import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply } from 'fastify'
import type { Access } from '#core/access/access.ts'
import { seesAllContent } from '#core/queries/known-types.ts'
import type { Auth } from '#features/auth/auth.ts'
import type { Counter } from '#http/guarding/bearer.ts'
import { parseDuration } from '#lib/duration.ts'
import { packageRoot } from '#lib/package.ts'
import type { AuditDesk } from '../audit-desk.ts'
import type { BillingDesk } from '../billing-desk.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import type { FileResource } from '../file-resource.ts'
import type { MarketplaceDesk } from '../marketplace-desk.ts'
import type { ModuleDesk } from '../module-desk.ts'
import type { Resource, Resources } from '../resource.ts'
import type { WebhookDesk } from '../webhook-desk.ts'
import { Autosaves } from './autosaves/autosaves.ts'
import type { Changes } from './dashboard/dashboard.ts'
import type { FindRecords } from './searching/search-pages.ts'
import { PanelSessions } from './signing-in/panel-sessions.ts'
import { SetUp } from './signing-in/setup.ts'

/** The dependencies of the panel. */
export interface AdminFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & {
    readonly auth: { readonly session: { readonly idle: string; readonly max: string } }
    readonly admin: { readonly url: string | null }
  }
}

/** The parts of other features that the panel shows. */
export interface Shown {
  /** Sign-in. */
  readonly auth: () => Auth
  /** The resources of all features that are on, in the order of the navigation. */
  readonly resources: () => readonly Resources[]
  /** Media; undefined where they are off. */
  readonly files: () => FileResource | undefined
  /** Billing; undefined where it is off. */
  readonly billing: () => BillingDesk | undefined
  /** Webhooks; undefined where they are off. */
  readonly webhooks: () => WebhookDesk | undefined
  /** The audit log; undefined where it is off. */
  readonly audit: () => AuditDesk | undefined
  /** Pages and cards of modules; undefined where there are none. */
  readonly modules: () => ModuleDesk | undefined
  /** Loads the marketplace; undefined where modules are off. */
  readonly marketplace: () => (() => Promise<MarketplaceDesk>) | undefined
  /** The list of what was last done to content; undefined where revisions are off. */
  readonly changes: () => { readonly list: Changes } | undefined
  /** The search over records; undefined where it is switched off. */
  readonly search: () => { readonly find: FindRecords } | undefined
  readonly throttles: () => { readonly admin: Counter | undefined; readonly auth: Counter | undefined }
}

/** Makes the panel over the features that are on. */
export function makeAdmin(deps: AdminFeatureDeps, shown: Shown) {
  const { config, ledger, clock, root, templates } = deps
  const { idle, max } = config.auth.session
  const sessions = new PanelSessions({ ledger, clock, idle: parseDuration(idle) ?? 0, most: parseDuration(max) ?? 0 })
  const autosaves = new Autosaves({ store: deps.store, clock })
  const setUp = new SetUp({ ledger })
  const resources = async (access: Access): Promise<Resource[]> =>
    (await Promise.all(shown.resources().map((one) => one.seen(access)))).flat()
  const resourceOf = async (access: Access, name: string) => {
    const found = await Promise.all(shown.resources().map((one) => one.named(name)))
    return found.find((one) => one?.sees(access))
  }
  return {
    offers: { setUp },
    routes: async (app, { api, log, version, isLocal, renew }) => {
      const [
        { PanelTemplates },
        { Pages },
        { Dashboard },
        { keptLines },
        { problemLines },
        { panelRoutes },
        { PreviewLinks },
        { billingLink },
        { moduleLinks, moduleCards },
        { marketplaceLink },
      ] = await Promise.all([
        import('./rendering/panel-templates.ts'),
        import('./rendering/pages.ts'),
        import('./dashboard/dashboard.ts'),
        import('./autosaves/kept-texts.ts'),
        import('./problems/problem-pages.ts'),
        import('./routes.ts'),
        import('./resources/preview-links.ts'),
        import('./billing/billing-pages.ts'),
        import('./modules/module-pages.ts'),
        import('./marketplace/marketplace-pages.ts'),
      ])
      const { site, admin } = config
      const folders = [join(root, site.templates, 'admin'), join(templates, 'admin')]
      const scripts = fileURLToPath(new URL('dist/panel/', packageRoot))
      const { locale, timezone } = site
      const panelTemplates = new PanelTemplates({ folders, scripts, locale, timezone, clock })
      const desk = shown.billing()
      const modules = shown.modules()
      const marketplace = await shown.marketplace()?.()
      const links = async (access: Access) => [
        ...(marketplace ? marketplaceLink(access) : []),
        ...(desk ? await billingLink(desk, access) : []),
        ...(modules ? moduleLinks(modules, access) : []),
      ]
      const pages = new Pages({ templates: panelTemplates, site, resources, links, version })
      const { admin: counter, auth: trying } = shown.throttles()
      const count = (who: string, reply: FastifyReply) => counter?.count(who, reply)
      const countSignIn = (who: string, reply: FastifyReply) => trying?.count(who, reply)
      // The site's own address is the panel's as long as it is on that host.
      const origins = [new URL(admin.url ?? site.url).origin]
      const changes: Changes | undefined =
        shown.changes() && ((access, params) => shown.changes()?.list(access, params) ?? Promise.resolve({ data: [] }))
      const dashboard = new Dashboard({
        ...{ resources, changes, health: () => deps.store.health(), isShared: deps.isShared, site },
        cards: async (access) => (modules ? moduleCards(modules, access, site.locale) : []),
        seesWhole: (access) => seesAllContent(deps.store, access),
        waiting: async (access, content) => [
          ...(await problemLines(deps.store, access)),
          ...(await keptLines(autosaves, access, content)),
        ],
      })
      const editorUrls = {
        upload: shown.files() && '/admin/media',
        records: config.features.search ? '/admin/search?format=json' : undefined,
      }
      const previewLinks = new PreviewLinks({ auth: shown.auth(), site, resourceOf })
      app.register(async (scope) => previewLinks.routes(scope))
      const panel = {
        ...{ previewLinks, auth: shown.auth(), ledger, clock, sessions, autosaves, pages },
        ...{ templates: panelTemplates, site, origins, editorUrls, resourceOf },
      }
      const host = admin.url === null ? undefined : new URL(admin.url).host
      const files = shown.files()
      const media = files && { files, guards: api.uploading }
      const search = shown.search()
      const find: FindRecords | undefined = search && ((access, asking) => search.find(access, asking))
      app.register(async (scope) =>
        panelRoutes(scope, {
          ...{
            panel,
            dashboard,
            log,
            count,
            countSignIn,
            host,
            isLocal,
            media,
            desk,
            webhooks: shown.webhooks(),
            audit: shown.audit(),
            modules,
            marketplace: marketplace && { desk: marketplace, renew, audit: shown.audit() },
            searching: { panel, find, resources },
            store: deps.store,
          },
          resources: shown.resources(),
        }),
      )
    },
  } satisfies Feature
}
