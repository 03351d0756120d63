import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import { pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { NotFound } from '#lib/errors.ts'
import type { WebhookDesk } from '../../webhook-desk.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { addressWith } from '../resources/list-address.ts'
import { ShownOnce } from '../resources/shown-once.ts'
import { deliveriesUrl, deliveriesView, titleOf, WEBHOOKS_URL } from './delivery-view.ts'

/** Deliveries on a page. */
const PER_PAGE = 25

interface Params {
  readonly id: string
  readonly delivery: string
}

type Request = FastifyRequest<{ Params: Params }>

/** `/admin/webhooks/{id}/…`: what was sent to a webhook, and what else can be done with one. */
export function deliveryRoutes(
  routes: PanelRoutes,
  { panel, desk }: { readonly panel: Panel; readonly desk: WebhookDesk },
): void {
  const base = `${WEBHOOKS_URL}/:id`
  routes.get<Params>(`${base}/deliveries`, async (request, reply) => {
    const access = managing(request)
    const { page } = request.query as QueryParams
    const webhook = await desk.get(access, request.params.id)
    const paging = pagingOf({ per_page: String(PER_PAGE), ...(page !== undefined && { page }) })
    const { data: deliveries, meta } = await desk.deliveries(access, webhook.id, paging)
    const { locale, timezone } = panel.site
    const data = deliveriesView({ webhook, deliveries, meta, telling: { locale, timezone, now: panel.clock.now() } })
    return panel.pages.send(request, reply, { template: 'deliveries', title: `Deliveries to ${titleOf(webhook)}`, data })
  })
  const doing = (act: (access: Access, params: Params) => Promise<unknown>) => async (request: Request, reply: FastifyReply) => {
    await act(managing(request), request.params)
    return leadOn(reply, addressWith(deliveriesUrl(request.params.id), { done: 'saved' }))
  }
  routes.on<Params>('POST', `${base}/test`, async (request, reply) => {
    // The list shows what came of it.
    await desk.test(managing(request), request.params.id)
    return leadOn(reply, deliveriesUrl(request.params.id))
  })
  routes.on<Params>(
    'POST',
    `${base}/enable`,
    doing((access, { id }) => desk.enable(access, id)),
  )
  routes.on<Params>(
    'POST',
    `${base}/deliveries/:delivery/replay`,
    doing((access, { delivery }) => desk.replay(access, delivery)),
  )
  routes.on<Params>('POST', `${base}/rotate`, async (request, reply) => {
    const access = managing(request)
    const webhook = await desk.get(access, request.params.id)
    const { secret } = await desk.rotate(access, webhook.id)
    await new ShownOnce(panel).keep(signedIn(request), 'webhooks', { name: titleOf(webhook), key: secret })
    return leadOn(reply, WEBHOOKS_URL)
  })
}

/** The rights of a reader for whom there are webhooks; throws NotFound for any other. */
function managing(request: FastifyRequest): Access {
  const { access } = signedIn(request)
  if (!access.may('webhooks:write')) throw new NotFound('There is no such page.')
  return access
}
