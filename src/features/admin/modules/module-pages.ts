import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { NotFound } from '#lib/errors.ts'
import type { DeskPage, ModuleDesk } from '../../module-desk.ts'
import type { PanelLink } from '../rendering/pages.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { partsView } from './part-views.ts'

interface OneFile {
  readonly id: string
}

/** `/admin/x/<module>/<page>` with its files: those of a module that ships may be at `/admin/<page>`. */
export function moduleRoutes(routes: PanelRoutes, { panel, desk }: { readonly panel: Panel; readonly desk: ModuleDesk }): void {
  for (const page of desk.pages) {
    routes.get(page.url, (request, reply) => show(panel, page, request, reply))
    routes.get<OneFile>(`${page.url}/:id`, (request, reply) => send(page, request, reply))
  }
}

/** Returns the entries of the navigation that modules bring, for a reader. */
export function moduleLinks(desk: ModuleDesk, access: Access): readonly PanelLink[] {
  return desk.pages
    .filter((page) => page.sees(access))
    .map(({ label, url, icon, group }) => ({ label, url, icon, group, isFirst: group === 'run' }))
}

/** Returns the cards of modules that the dashboard shows to a reader. */
export async function moduleCards(desk: ModuleDesk, access: Access, locale: string): Promise<readonly object[]> {
  const cards = await desk.cards(access)
  return cards.map(({ name, label, parts }) => {
    const { links, parts: drawn } = partsView(parts, { url: '/admin', locale })
    return { name, label, links, parts: drawn }
  })
}

async function show(panel: Panel, page: DeskPage, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { access } = signedIn(request)
  mustSee(page, access)
  const { label, url } = page
  const parts = await page.parts(access, request.query as QueryParams)
  const { locale } = panel.site
  const view = parts && partsView(parts, { url, locale })
  const failed = {
    icon: 'warning',
    title: 'This page can’t be shown just now',
    text: `The module “${page.module}” did not answer as it should. The log of the server says why; everything else goes on.`,
    buttons: [{ label: 'Try again', url }],
  }
  return panel.pages.send(request, reply, {
    template: 'module-page',
    title: label,
    status: parts ? 200 : 503,
    data: { heading: label, ...(view ? { ...view, is_empty: parts.length === 0 } : { parts: [], none: failed }) },
  })
}

async function send(page: DeskPage, request: FastifyRequest<{ Params: OneFile }>, reply: FastifyReply): Promise<FastifyReply> {
  const { access } = signedIn(request)
  mustSee(page, access)
  const { id } = request.params
  const file = await page.file(access, id, request.query as QueryParams)
  if (!file) throw new NotFound('This file can’t be made just now. The log of the server says why.')
  return reply
    .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    .headers({ 'content-disposition': `attachment; filename="${id.replaceAll(/[^\w.-]/g, '_')}"` })
    .headers({ 'content-security-policy': "default-src 'none'; sandbox", 'referrer-policy': 'same-origin' })
    .type(`${file.type}; charset=utf-8`)
    .send(file.text)
}

function mustSee(page: DeskPage, access: Access): void {
  if (!page.sees(access)) throw new NotFound('There is no such page.')
}
