import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import { authorIn } from '#http/requests/acting.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { Failure, NotFound } from '#lib/errors.ts'
import type { AuditDesk } from '../../audit-desk.ts'
import { type MarketplaceDesk, type ModuleDeed, moduleTarget } from '../../marketplace-desk.ts'
import type { PanelLink } from '../rendering/pages.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { textOf } from '../requests/sent.ts'
import { addressWith } from '../resources/list-address.ts'
import { moduleView, removalView } from './module-view.ts'
import { MODULES_URL, modulesView, moduleUrl, PER_PAGE } from './modules-view.ts'

interface One {
  readonly name: string
}

type Request = FastifyRequest<{ Params: One }>

/** The dependencies of the pages of modules. */
export interface MarketplacePagesDeps {
  readonly panel: Panel
  readonly desk: MarketplaceDesk
  /** Has the server begin again without a refused request; undefined where it can't. */
  readonly renew: (() => void) | undefined
  /** The audit log; undefined where none is kept. */
  readonly audit: AuditDesk | undefined
}

/** `/admin/modules…`: what is there, the registry, and one module. */
export function marketplaceRoutes(routes: PanelRoutes, { panel, desk, renew, audit }: MarketplacePagesDeps): void {
  const base = `${MODULES_URL}/:name`
  const note = async (request: Request, deed: ModuleDeed) =>
    audit?.noted(authorIn(request), `module.${deed}`, moduleTarget(request.params.name))
  routes.get(MODULES_URL, (request, reply) => showModules({ panel, desk, renew, audit }, request, reply))
  routes.on('POST', `${MODULES_URL}/restart`, async (request, reply) => {
    managing(request)
    // The answer is on its way by then.
    reply.raw.once('close', () => renew?.())
    return leadOn(reply, `${MODULES_URL}?tab=there`)
  })
  routes.get<One>(base, async (request, reply) => {
    managing(request)
    return showModule(panel, desk, request, reply)
  })
  routes.on<One>('POST', `${base}/add`, async (request, reply) => {
    managing(request)
    const { name } = request.params
    try {
      await note(request, await desk.add(name, textOf(request, 'version')))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return showModule(panel, desk, request, reply, error)
    }
    return leadOn(reply, addressWith(MODULES_URL, { tab: 'there', done: 'saved' }))
  })
  const switching = (isOn: boolean) => async (request: Request, reply: FastifyReply) => {
    managing(request)
    await desk.enable(request.params.name, isOn)
    await note(request, isOn ? 'enabled' : 'disabled')
    return leadOn(reply, addressWith(moduleUrl(request.params.name), { done: 'saved' }))
  }
  routes.on<One>('POST', `${base}/enable`, switching(true))
  routes.on<One>('POST', `${base}/disable`, switching(false))
  routes.on<One>('POST', `${base}/remove`, async (request, reply) => {
    managing(request)
    const { name } = request.params
    if (textOf(request, 'sure') === '') {
      await desk.offer(name)
      return panel.pages.send(request, reply, { template: 'confirm', title: `Remove ${name}`, data: removalView(name) })
    }
    await desk.remove(name)
    await note(request, 'removed')
    return leadOn(reply, addressWith(MODULES_URL, { tab: 'there', done: 'removed' }))
  })
}

/** Returns the entry of the navigation, for who manages modules. */
export function marketplaceLink(access: Access): readonly PanelLink[] {
  return access.may('settings:write') ? [{ label: 'Modules', url: MODULES_URL, icon: 'box' }] : []
}

async function showModules(
  { panel, desk, renew }: MarketplacePagesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  managing(request)
  const { tab: asked, q = '', tag = '', sort = '', page = '1' } = request.query as QueryParams
  const first = desk.registry === undefined ? 'there' : 'browse'
  const tab = asked === 'there' || asked === 'updates' || asked === 'browse' ? asked : first
  const query = { q: q.slice(0, 100), tag, sort, page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1 }
  const searched = async () => {
    const given = Object.entries({ q: query.q, tag, sort }).filter(([, value]) => value !== '')
    const params = { ...Object.fromEntries(given), page: String(query.page), per_page: String(PER_PAGE) }
    return { found: await desk.search(params), updates: await desk.updates() }
  }
  const [there, answer] = await Promise.all([
    desk.there(),
    desk.registry === undefined ? undefined : searched().catch((error) => awayFor(error)),
  ])
  const found = answer && 'found' in answer ? answer : { found: undefined, updates: [] }
  const away = answer && 'away' in answer ? answer.away : undefined
  const { locale } = panel.site
  const data = modulesView({ registry: desk.registry, there, ...found, away, tab, query, canRenew: renew !== undefined, locale })
  return panel.pages.send(request, reply, { template: 'modules', title: 'Modules', data })
}

async function showModule(
  panel: Panel,
  desk: MarketplaceDesk,
  request: Request,
  reply: FastifyReply,
  failed?: Failure,
): Promise<FastifyReply> {
  const { name } = request.params
  const offer = await desk.offer(name)
  const words = failed && [failed.message, failed.hint].filter(Boolean).join(' ')
  const data = moduleView(offer, panel.site.locale, words)
  return panel.pages.send(request, reply, { template: 'module', title: name, data, ...(failed && { status: failed.status }) })
}

/** A registry that is away keeps nobody from what is there. */
function awayFor(error: unknown): { readonly away: string } {
  if (error instanceof Failure) return { away: error.message }
  throw error
}

/** Throws NotFound for who manages no modules. */
function managing(request: FastifyRequest): void {
  if (!signedIn(request).access.may('settings:write')) throw new NotFound('There is no such page.')
}
