import type { FastifyReply, FastifyRequest } from 'fastify'
import { InvalidInput, NotFound } from '#lib/errors.ts'
import type { Resource, Resources } from '../../resource.ts'
import { autosaveRoutes } from '../autosaves/autosave-routes.ts'
import { MOST_OFFERED } from '../forms/references.ts'
import { memberRoutes } from '../members/member-pages.ts'
import { MenuPages } from '../menus/menu-pages.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { nothingThere, type PanelRoutes } from '../requests/panel-routes.ts'
import { sendJson } from '../requests/sent.ts'
import { SettingsPages } from '../settings/settings-pages.ts'
import { TermPages } from '../terms/term-pages.ts'
import type { EditPage } from './edit-page.ts'
import { FormPages } from './form-pages.ts'
import { HistoryPages } from './history-pages.ts'
import { ListPages } from './list-pages.ts'
import { PreviewPages } from './preview-pages.ts'
import { SourcePages } from './source-pages.ts'
import { UpdatePages } from './update-pages.ts'

/** The parameters of an address: of a type of records, of documents of a module, or of any other resource. */
interface Params {
  readonly type?: string
  readonly module?: string
  readonly resource?: string
  readonly id?: string
  readonly ts?: string
  readonly action?: string
}

/** Finds the resource of an address. */
type Named = (request: FastifyRequest<{ Params: Params }>) => Promise<Resource>

/** Most characters of a search for what a reference may lead to. */
const LONGEST_SEARCH = 256

/** The addresses that resources have: `/admin/content/<type>`, `/admin/<name>`, and `/admin/x/<module>/<name>`. */
const BASES = ['/admin/content/:type', '/admin/:resource', '/admin/x/:module/:resource'] as const

/** List, create, store, edit, update, remove and actions of all resources. */
export function resourceRoutes(routes: PanelRoutes, panel: Panel, all: readonly Resources[]): void {
  const lists = new ListPages(panel)
  const forms = new FormPages(panel)
  const updates = new UpdatePages(panel, forms)
  const special: Readonly<Record<NonNullable<Resource['editPage']>, EditPage>> = {
    menu: new MenuPages(panel),
    settings: new SettingsPages(panel),
    terms: new TermPages(panel, { lists, updates }),
  }
  const editOf = ({ editPage }: Resource): EditPage => (editPage === undefined ? updates : special[editPage])
  const named = async (request: FastifyRequest<{ Params: Params }>) => {
    const found = await resourceOf(all, request)
    if (!found) throw nothingThere(routes, request)
    return found
  }
  autosaveRoutes(routes, panel, async (name, request) => {
    const found = await seenResource(all, name, request)
    if (!found) throw new NotFound('There is no such page.')
    return found
  })
  previewRoutes(routes, { panel, named })
  memberRoutes(routes, { named, forms })
  for (const base of BASES) {
    routes.get<Params>(base, async (request, reply) => {
      const resource = await named(request)
      return editOf(resource).list?.(resource, request, reply) ?? lists.show(resource, request, reply)
    })
    routes.on<Params>('PUT', base, async (request, reply) => lists.act(await named(request), request, reply))
    routes.get<Params>(`${base}/create`, async (request, reply) => forms.create(await named(request), request, reply))
    routes.on<Params>('POST', base, async (request, reply) => forms.store(await named(request), request, reply))
    routes.get<Params>(`${base}/offered`, async (request, reply) => sendOffered(await named(request), request, reply))
    const one = `${base}/:id`
    routes.get<Params>(`${one}/edit`, async (request, reply) => {
      const resource = await named(request)
      return editOf(resource).show(resource, idOf(request), request, reply)
    })
    routes.on<Params>('PUT', one, async (request, reply) => {
      const resource = await named(request)
      return editOf(resource).update(resource, idOf(request), request, reply)
    })
    routes.get<Params>(`${one}/delete`, async (request, reply) => forms.ask(await named(request), idOf(request), request, reply))
    routes.on<Params>('POST', `${one}/:action`, async (request, reply) => {
      const resource = await named(request)
      return editOf(resource).act?.(resource, idOf(request), request, reply) ?? forms.act(resource, idOf(request), request, reply)
    })
    historyRoutes(routes, { panel, base: one, named })
    routes.on<Params>('DELETE', one, async (request, reply) => forms.remove(await named(request), idOf(request), request, reply))
  }
}

/** Pages as the site would have them: what a form sends comes by its own method. */
function previewRoutes(routes: PanelRoutes, { panel, named }: { panel: Panel; named: Named }): void {
  const previews = new PreviewPages(panel)
  const options = { isFramed: true }
  const url = '/admin/preview/:type/:id'
  routes.get<Params>(url, async (request, reply) => previews.stored(await named(request), idOf(request), request, reply), options)
  for (const method of ['POST', 'PUT'] as const)
    routes.on<Params>(
      method,
      url,
      async (request, reply) => previews.typed(await named(request), idOf(request), request, reply),
      options,
    )
  routes.get<Params>('/admin/content/:type/:id/preview', async (request, reply) =>
    previews.page(await named(request), idOf(request), request, reply),
  )
}

/** The revisions of one thing, its file, and what the API answers with it. */
function historyRoutes(routes: PanelRoutes, { panel, base, named }: { panel: Panel; base: string; named: Named }): void {
  const history = new HistoryPages(panel)
  const sources = new SourcePages(panel)
  const of = ({ params }: FastifyRequest<{ Params: Params }>) => ({ id: params.id ?? '', ts: params.ts ?? '' })
  routes.get<Params>(`${base}/revisions`, async (request, reply) =>
    history.show(await named(request), { id: idOf(request) }, request, reply),
  )
  routes.get<Params>(`${base}/revisions/:ts`, async (request, reply) =>
    history.show(await named(request), of(request), request, reply),
  )
  routes.get<Params>(`${base}/revisions/:ts/file`, async (request, reply) =>
    sources.fileThen(await named(request), of(request), request, reply),
  )
  routes.on<Params>('POST', `${base}/rollback/:ts`, async (request, reply) =>
    history.restore(await named(request), of(request), request, reply),
  )
  routes.get<Params>(`${base}/file`, async (request, reply) => sources.file(await named(request), idOf(request), request, reply))
  routes.get<Params>(`${base}/api`, async (request, reply) => sources.api(await named(request), idOf(request), request, reply))
}

/** Answers a script with things that a reference may lead to, by words of their title. */
async function sendOffered(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!resource.offers) throw new NotFound('There is no such page.')
  const { q } = request.query as { readonly q?: unknown }
  const words = typeof q === 'string' ? q.trim() : ''
  if ([...words].length > LONGEST_SEARCH) throw new InvalidInput({ q: [`Search for at most ${LONGEST_SEARCH} characters.`] })
  const asked = { most: MOST_OFFERED, ...(words !== '' && { q: words }) }
  const { offered, total } = await resource.offers(signedIn(request).access, asked)
  return sendJson(reply, 200, { data: offered, total })
}

async function resourceOf(all: readonly Resources[], request: FastifyRequest<{ Params: Params }>): Promise<Resource | undefined> {
  const { type, module, resource = '' } = request.params
  const own = module === undefined ? resource : `x/${module}/${resource}`
  return seenResource(all, type === undefined ? own : `content/${type}`, request)
}

async function seenResource(all: readonly Resources[], name: string, request: FastifyRequest): Promise<Resource | undefined> {
  const { access } = signedIn(request)
  for (const one of all) {
    const found = await one.named(name)
    if (found?.sees(access)) return found
  }
  return undefined
}

function idOf({ params }: FastifyRequest<{ Params: Params }>): string {
  return params.id ?? ''
}
