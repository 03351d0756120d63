import type { FastifyReply, FastifyRequest } from 'fastify'
import { Forbidden, NotFound } from '#lib/errors.ts'
import type { Resource, Row } from '../../resource.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { sendJson } from '../requests/sent.ts'
import { urlOf } from '../resources/list-view.ts'
import type { Place } from './autosaves.ts'
import { keeperOf } from './kept-texts.ts'
import { keptView } from './kept-view.ts'
import { typedIn } from './typed.ts'

type Params = { readonly type: string; readonly id: string }
type Asked<P> = FastifyRequest<{ Params: P }>

/** Finds a resource by its name, for who sees it; rejects with NotFound else. */
export type ResourceNamed = (name: string, request: FastifyRequest) => Promise<Resource>

/** `/admin/autosave/…`: keeps what is typed, shows it beside the record as it is now, throws it away. */
export function autosaveRoutes(routes: PanelRoutes, panel: Panel, named: ResourceNamed): void {
  const pages = new AutosavePages(panel, named)
  routes.on<Params>('PUT', '/admin/autosave/:type/:id', (request, reply) => pages.keep(request, reply))
  routes.get<Params>('/admin/autosave/:type/:id/kept', (request, reply) => pages.show(request, reply))
  routes.on<Params>('DELETE', '/admin/autosave/:type/:id', (request, reply) => pages.discard(request, reply))
}

class AutosavePages {
  readonly #panel: Panel
  readonly #named: ResourceNamed

  constructor(panel: Panel, named: ResourceNamed) {
    this.#panel = panel
    this.#named = named
  }

  /** Keeps a form; answers a script with the time once it is durable. */
  async keep(request: Asked<Params>, reply: FastifyReply): Promise<FastifyReply> {
    const signed = signedIn(request)
    const typed = typedIn(request.body)
    const resource = await this.#resource(request)
    // A new record has no version that an edit could begin from.
    const id = request.params.id === 'new' && typed.base === undefined ? undefined : request.params.id
    const row = await rowOf(resource, id, request)
    const may = row ? resource.mayUpdate(signed.access, row) : resource.mayCreate(signed.access)
    if (!may) throw new Forbidden(`You may not change this ${resource.singular}.`)
    const title = typed.pairs.find(([name]) => name === 'title')?.[1].trim() || row?.title || ''
    const kept = { resource: resource.name, id, title: title.slice(0, 200), ...typed }
    const at = await this.#panel.autosaves.keep(keeperOf(signed), kept)
    return sendJson(reply, 200, { kept_at: new Date(at).toISOString() })
  }

  /** Shows what is kept beside the record as it is now. */
  async show(request: Asked<Params>, reply: FastifyReply): Promise<FastifyReply> {
    const { user, access } = signedIn(request)
    const { autosaves, site, clock, pages } = this.#panel
    const resource = await this.#resource(request)
    const place = placeIn(resource, request)
    const kept = await autosaves.find(user.id, place, formIn(request))
    if (!kept) throw new NotFound('Nothing of yours is kept here: it was saved, thrown away, or is older than 30 days.')
    const row = await rowOf(resource, place.id, request)
    const start = row && kept.base !== undefined ? await resource.inVersion?.(access, row.id, kept.base) : undefined
    const data = keptView({ resource, access, kept, row, start, site, now: clock.now() })
    return pages.send(request, reply, { template: 'kept', title: 'Words that were kept', data })
  }

  async discard(request: Asked<Params>, reply: FastifyReply): Promise<FastifyReply> {
    const resource = await this.#resource(request)
    const place = placeIn(resource, request)
    const { autosaves } = this.#panel
    const signed = signedIn(request)
    const kept = await autosaves.find(signed.user.id, place, formIn(request))
    if (kept) await autosaves.drop(keeperOf(signed), [kept.form])
    const row = await rowOf(resource, place.id, request)
    const here = row ? `${urlOf(resource)}/${encodeURIComponent(row.id)}/edit` : '/admin'
    return leadOn(reply, `${here}?done=discarded`)
  }

  #resource(request: Asked<Params>): Promise<Resource> {
    return this.#named(`content/${request.params.type}`, request)
  }
}

/** The thing that an address is of; `?record` tells a record that is called `new` from a new one. */
function placeIn(resource: Resource, request: Asked<Params>): Place {
  const { id } = request.params
  const isNew = id === 'new' && !('record' in (request.query as object))
  return { resource: resource.name, id: isNew ? undefined : id }
}

/** The form that an address is of; without one it is of the text that was kept last. */
function formIn({ query }: Asked<Params>): string | undefined {
  const { form } = query as { readonly form?: unknown }
  return typeof form === 'string' ? form : undefined
}

/** The record as it is now; undefined for a new one, and for one that is gone. */
async function rowOf(resource: Resource, id: string | undefined, request: FastifyRequest): Promise<Row | undefined> {
  if (id === undefined) return undefined
  try {
    return await resource.get(signedIn(request).access, id)
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
