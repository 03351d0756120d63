import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import type { Asked } from '#core/history/revision.ts'
import { pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { askedBy } from '#http/requests/write-options.ts'
import { NotFound } from '#lib/errors.ts'
import type { BillingDesk } from '../../billing-desk.ts'
import type { PanelLink } from '../rendering/pages.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { textOf } from '../requests/sent.ts'
import { addressWith } from '../resources/list-address.ts'
import { BILLING_URL, closingView, customersView, INVOICES_URL, invoicesView, leavingView, overviewView } from './billing-view.ts'

/** Most customers that are listed. */
const MOST = 500

interface OneInvoice {
  readonly id: string
}

/** `/admin/billing…`: what a customer pays for, and its invoices. It is not there for who acts for no customer. */
export function billingRoutes(routes: PanelRoutes, { panel, desk }: { readonly panel: Panel; readonly desk: BillingDesk }): void {
  routes.get(BILLING_URL, (request, reply) => showOverview(panel, desk, request, reply))
  routes.get(INVOICES_URL, (request, reply) => showInvoices(panel, desk, request, reply))
  routes.get<OneInvoice>(`${INVOICES_URL}/:id`, async (request, reply) => {
    const page = await desk.page(signedIn(request).access, request.params.id)
    if ('url' in page) return leadOn(reply, page.url)
    const { html, policy } = page
    return reply
      .headers({ 'content-security-policy': policy, 'cache-control': 'no-store', 'referrer-policy': 'same-origin' })
      .headers({ 'x-frame-options': 'DENY', 'x-robots-tag': 'noindex' })
      .type('text/html; charset=utf-8')
      .send(html)
  })
  const doing =
    (act: (access: Access, team: string | undefined, from: Asked) => Promise<unknown>) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const team = textOf(request, 'team') || undefined
      await act(signedIn(request).access, team, askedBy(request, undefined))
      return leadOn(reply, savedAt(team))
    }
  const subscription = `${BILLING_URL}/subscription`
  routes.on('POST', `${BILLING_URL}/checkout`, (request, reply) => checkOut(panel, desk, request, reply))
  routes.on(
    'POST',
    `${subscription}/cancel`,
    doing((access, team, from) => desk.cancel(access, team, from)),
  )
  routes.on(
    'POST',
    `${subscription}/resume`,
    doing((access, team, from) => desk.resume(access, team, from)),
  )
  if (!desk.isClosing) return
  for (const close of ['pay', 'void'] as const)
    routes.on<OneInvoice>('POST', `${INVOICES_URL}/:id/${close}`, (request, reply) =>
      closeInvoice({ panel, desk }, close, request, reply),
    )
}

/** Begins a subscription, or leads to where it is paid for. */
async function checkOut(panel: Panel, desk: BillingDesk, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const team = textOf(request, 'team') || undefined
  const asked = { plan: textOf(request, 'plan'), team }
  const { url } = await desk.checkout(signedIn(request).access, asked, askedBy(request, undefined))
  if (url === undefined) return leadOn(reply, savedAt(team))
  if (desk.formsTo.includes(new URL(url).origin)) return leadOn(reply, url)
  // Browsers follow no form to where its page does not allow: a page that leads on is not its answer.
  reply.header('refresh', `0; url=${url}`)
  return panel.pages.send(request, reply, { template: 'billing', title: 'Billing', data: leavingView(url) })
}

function savedAt(team: string | undefined): string {
  return addressWith(BILLING_URL, { ...(team && { team }), done: 'saved' })
}

/** Returns the entry of the navigation, for who acts for a customer. */
export async function billingLink(desk: BillingDesk, access: Access): Promise<readonly PanelLink[]> {
  if (!access.may('billing:write') && (await desk.customers(access, 1)).length === 0) return []
  return [{ label: 'Billing', url: BILLING_URL, icon: 'credit-card' }]
}

/** Says that an invoice is paid, or void, once it was asked whether that is so: it can't be taken back. */
async function closeInvoice(
  { panel, desk }: { readonly panel: Panel; readonly desk: BillingDesk },
  close: 'pay' | 'void',
  request: FastifyRequest<{ Params: OneInvoice }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { access } = signedIn(request)
  const { id } = request.params
  const team = textOf(request, 'team')
  if (textOf(request, 'sure') !== '' || !access.may('billing:write')) {
    await desk.close(access, id, close === 'pay' ? 'paid' : 'void', askedBy(request, undefined))
    return leadOn(reply, addressWith(INVOICES_URL, { team, done: 'saved' }))
  }
  await desk.page(access, id)
  const data = closingView(id, close, team || undefined)
  return panel.pages.send(request, reply, { template: 'confirm', title: 'Invoices', data })
}

async function showOverview(
  panel: Panel,
  desk: BillingDesk,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { access } = signedIn(request)
  const { team } = request.query as QueryParams
  const customers = await seenCustomers(desk, access)
  const only = customers.length === 1 ? customers[0] : undefined
  const data =
    team === undefined && !only
      ? customersView(customers)
      : overviewView({
          desk,
          overview: await desk.overview(access, team),
          name: (only ?? customers.find(({ id }) => id === team))?.name ?? '',
          team,
          site: panel.site,
        })
  return panel.pages.send(request, reply, { template: 'billing', title: 'Billing', data, formsTo: desk.formsTo })
}

async function showInvoices(
  panel: Panel,
  desk: BillingDesk,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { access } = signedIn(request)
  const query = request.query as QueryParams
  await seenCustomers(desk, access)
  const { data: invoices, meta } = await desk.invoices(access, { team: query.team }, pagingOf(query))
  const data = invoicesView({
    desk,
    invoices,
    meta,
    team: query.team,
    mayClose: desk.isClosing && access.may('billing:write'),
    site: panel.site,
  })
  return panel.pages.send(request, reply, { template: 'billing', title: 'Invoices', data })
}

/** The customers that the caller acts for. Throws NotFound where there is none. */
async function seenCustomers(desk: BillingDesk, access: Access) {
  const customers = await desk.customers(access, MOST)
  if (customers.length === 0 && !access.may('billing:write')) throw new NotFound('There is no such page.')
  return customers
}
