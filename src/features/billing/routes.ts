import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { FromSchema } from 'json-schema-to-ts'
import { answerWith, sendTagged } from '#http/answers/answers.ts'
import { tagged, taggedJson } from '#http/answers/etag.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import { pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { askedBy } from '#http/requests/write-options.ts'
import { acceptsJson } from '#lib/accept.ts'
import { InvalidInput, NotAcceptable } from '#lib/errors.ts'
import type { Billing } from './billing.ts'
import type { InvoicePage } from './invoice-page.ts'
import * as described from './operations.ts'
import type * as shape from './schema.ts'
import { invoiceView } from './views.ts'

/** The dependencies of the routes of billing. */
export interface BillingRoutes {
  readonly billing: Billing
  readonly page: (invoice: Awaited<ReturnType<Billing['invoice']>>) => Promise<InvoicePage>
  readonly idempotency: Idempotency
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
  /** As `bearer`, for the page of an invoice. */
  readonly bearerOfAny: onRequestHookHandler
}

interface OfTeam {
  readonly Querystring: FromSchema<typeof shape.ofTeam>
  readonly Body?: FromSchema<typeof shape.teamBody>
}

interface OneInvoice {
  readonly Params: { readonly id: string }
}

const base = '/api/billing'

/** `/api/billing…`. */
export async function billingRoutes(app: FastifyInstance, parts: BillingRoutes): Promise<void> {
  const { billing, idempotency, bearer, bearerOfAny } = parts
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  const onRequest = bearer

  app.get<OfTeam>(base, { schema: described.OVERVIEW, onRequest }, (request, reply) => {
    const overview = billing.overview(accessOf(request), request.query.team)
    answerWith(
      sendTagged,
      request,
      reply,
      overview.then((data) => taggedJson({ data })),
    )
  })
  app.get(`${base}/plans`, { schema: described.PLANS, onRequest }, (request, reply) => {
    sendTagged(request, reply, taggedJson(billing.plans()))
  })
  app.post<{ Body: FromSchema<typeof shape.checkout> }>(
    `${base}/checkout`,
    { schema: described.CHECKOUT, onRequest },
    (request, reply) =>
      idempotency.answer(request, reply, async () =>
        created(await billing.checkout(accessOf(request), request.body, from(request))),
      ),
  )
  const config = { bodyOptional: true }
  app.post<OfTeam>(`${base}/cancel`, { schema: described.CANCEL, onRequest, config }, async (request) => ({
    data: await billing.cancel(accessOf(request), teamOf(request), from(request)),
  }))
  app.post<OfTeam>(`${base}/resume`, { schema: described.RESUME, onRequest, config }, async (request) => ({
    data: await billing.resume(accessOf(request), teamOf(request), from(request)),
  }))
  const list = `${base}/invoices`
  app.get<{ Querystring: QueryParams }>(list, { schema: described.INVOICES, onRequest }, (request, reply) => {
    const listed = async () => billing.invoices(accessOf(request), request.query, pagingOf(request.query))
    answerWith(sendTagged, request, reply, listed().then(taggedJson))
  })
  app.get<OneInvoice>(`${list}/:id`, { schema: described.INVOICE, onRequest: bearerOfAny }, (request, reply) =>
    sendInvoice(parts, request, reply),
  )
  if (!billing.isClosing) return
  app.post<OneInvoice>(`${list}/:id/pay`, { schema: described.PAY, onRequest }, async (request) => ({
    data: await billing.close(accessOf(request), request.params.id, 'paid', from(request)),
  }))
  app.post<OneInvoice>(`${list}/:id/void`, { schema: described.VOID, onRequest }, async (request) => ({
    data: await billing.close(accessOf(request), request.params.id, 'void', from(request)),
  }))
}

async function sendInvoice(
  { billing, page }: BillingRoutes,
  request: FastifyRequest<OneInvoice>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { accept } = request.headers
  const isPage = asksForPage(accept)
  if (!isPage && !acceptsJson(accept)) throw new NotAcceptable()
  const invoice = await billing.invoice(accessOf(request), request.params.id)
  reply.header('vary', 'accept')
  if (!isPage) return sendTagged(request, reply, taggedJson({ data: invoiceView(invoice) }))
  const elsewhere = await billing.pageOf(invoice)
  if (elsewhere !== undefined) return reply.redirect(elsewhere, 303)
  const { html, policy } = await page(invoice)
  reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'same-origin', 'x-robots-tag': 'noindex' })
  return sendTagged(request, reply, tagged(Buffer.from(html)), 'text/html; charset=utf-8')
}

function from(request: FastifyRequest) {
  return askedBy(request, undefined)
}

/** Returns whether a client names HTML, and not JSON. */
function asksForPage(accept = ''): boolean {
  const types = accept.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase())
  return types.includes('text/html') && !types.includes('application/json')
}

/** The team of a request, which may be in the address or in the body. Throws InvalidInput where these differ. */
function teamOf({ query, body }: FastifyRequest<OfTeam>): string | undefined {
  const sent = (body as { team?: string } | null | undefined)?.team
  if (sent !== undefined && query.team !== undefined && sent !== query.team)
    throw new InvalidInput({ team: ['The team of the address is another than that of the body.'] })
  return sent ?? query.team
}

function created(data: object): KeptAnswer {
  return { status: 201, headers: {}, body: Buffer.from(JSON.stringify({ data })) }
}
