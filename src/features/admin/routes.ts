import type { FastifyInstance } from 'fastify'
import type { Store } from '#core/store.ts'
import { NotFound } from '#lib/errors.ts'
import type { AuditDesk } from '../audit-desk.ts'
import type { BillingDesk } from '../billing-desk.ts'
import type { FileResource } from '../file-resource.ts'
import type { ModuleDesk } from '../module-desk.ts'
import type { Resources } from '../resource.ts'
import type { WebhookDesk } from '../webhook-desk.ts'
import { auditRoutes } from './audit/audit-pages.ts'
import { billingRoutes } from './billing/billing-pages.ts'
import type { Dashboard } from './dashboard/dashboard.ts'
import { useFormBodies } from './forms/body.ts'
import { type MarketplacePagesDeps, marketplaceRoutes } from './marketplace/marketplace-pages.ts'
import { mediaRoutes } from './media/media-routes.ts'
import type { UploadGuards } from './media/upload-pages.ts'
import { moduleRoutes } from './modules/module-pages.ts'
import { accountRoutes } from './people/account.ts'
import { columnRoutes } from './people/column-choice.ts'
import { editorRoutes } from './people/editor-choice.ts'
import { problemRoutes } from './problems/problem-pages.ts'
import { useFileForms } from './requests/file-forms.ts'
import { signedIn } from './requests/panel.ts'
import { PanelRoutes } from './requests/panel-routes.ts'
import { panelScope, type ScopeDeps } from './requests/scope.ts'
import { resourceRoutes } from './resources/routes.ts'
import { type SearchPagesDeps, searchRoutes } from './searching/search-pages.ts'
import { linkRoutes } from './signing-in/link-routes.ts'
import { loginRoutes } from './signing-in/login-routes.ts'
import { providerRoutes } from './signing-in/provider-routes.ts'
import { setupRoutes } from './signing-in/setup-routes.ts'
import { deliveryRoutes } from './webhooks/delivery-pages.ts'

/** The dependencies of the routes of the panel. */
export interface PanelRouteDeps extends ScopeDeps {
  readonly resources: readonly Resources[]
  readonly dashboard: Dashboard
  /** Files, where media are on. */
  readonly media: { readonly files: FileResource; readonly guards: UploadGuards } | undefined
  /** Billing, where it is on. */
  readonly desk: BillingDesk | undefined
  /** Webhooks, where they are on. */
  readonly webhooks: WebhookDesk | undefined
  /** The audit log, where it is on. */
  readonly audit: AuditDesk | undefined
  /** Pages of modules. */
  readonly modules: ModuleDesk | undefined
  /** The marketplace, where modules are on. */
  readonly marketplace: Omit<MarketplacePagesDeps, 'panel'> | undefined
  readonly searching: SearchPagesDeps
  readonly store: Store
  /** The host that the panel is on, where that is not the site's. */
  readonly host: string | undefined
}

/** `/admin/…`. */
export function panelRoutes(app: FastifyInstance, all: PanelRouteDeps): void {
  const { resources, dashboard, media, desk, webhooks, audit, modules, marketplace, searching, store, host, ...deps } = all
  const { panel } = deps
  useFormBodies(app, ({ signed }) => signed !== null)
  useFileForms(app)
  if (host !== undefined) {
    app.addHook('onRequest', async (request) => {
      if (request.host !== host) throw new NotFound('There is nothing at this address.')
    })
  }
  const routes = new PanelRoutes()
  routes.get('/admin', async (request, reply) => {
    const data = await dashboard.view(signedIn(request).access, panel.clock.now())
    return panel.pages.send(request, reply, { template: 'dashboard', title: 'Dashboard', data })
  })
  loginRoutes(routes, panel)
  linkRoutes(routes, panel)
  providerRoutes(routes, panel)
  setupRoutes(routes, panel)
  accountRoutes(routes, panel)
  searchRoutes(routes, searching)
  problemRoutes(routes, { panel, store })
  editorRoutes(routes, panel)
  columnRoutes(routes, panel, searching.resources)
  if (media) mediaRoutes(routes, { panel, files: media.files, all: resources }, media.guards)
  if (desk) billingRoutes(routes, { panel, desk })
  if (webhooks) deliveryRoutes(routes, { panel, desk: webhooks })
  if (audit) auditRoutes(routes, { panel, desk: audit })
  if (modules) moduleRoutes(routes, { panel, desk: modules })
  if (marketplace) marketplaceRoutes(routes, { panel, ...marketplace })
  resourceRoutes(routes, panel, resources)
  panelScope(app, deps, routes)
}
