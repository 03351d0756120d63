import type { FastifyRequest } from 'fastify'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { FilePages } from './file-pages.ts'
import { GridPages, type MediaParts } from './grid-pages.ts'
import { type UploadGuards, UploadPages } from './upload-pages.ts'

/** The parameters of an address. */
interface Params {
  readonly id: string
}

/** `/admin/media…`: the grid, the page of each file, and what comes in. */
export function mediaRoutes(routes: PanelRoutes, parts: MediaParts, guards: UploadGuards): void {
  const grid = new GridPages(parts)
  const file = new FilePages(parts)
  const uploads = new UploadPages(parts, guards, { grid, file })
  const base = `/admin/${parts.files.name}`
  const one = `${base}/:id`
  const idOf = ({ params }: FastifyRequest<{ Params: Params }>) => params.id
  routes.get(base, (request, reply) => grid.show(request, reply))
  routes.on('PUT', base, (request, reply) => grid.act(request, reply))
  routes.on('POST', base, (request, reply) => uploads.upload(request, reply), { takesFiles: true })
  routes.get<Params>(`${one}/edit`, (request, reply) => file.show(idOf(request), request, reply))
  routes.on<Params>('PUT', one, (request, reply) => file.update(idOf(request), request, reply))
  routes.get<Params>(`${one}/delete`, (request, reply) => file.ask(idOf(request), request, reply))
  routes.on<Params>('DELETE', one, (request, reply) => file.remove(idOf(request), request, reply))
  routes.on<Params>('POST', `${one}/move`, (request, reply) => file.move(idOf(request), request, reply))
  routes.on<Params>('POST', `${one}/file`, (request, reply) => uploads.replace(idOf(request), request, reply), {
    takesFiles: true,
  })
}
