import type { FastifyReply, FastifyRequest } from 'fastify'
import { NotFound } from '#lib/errors.ts'
import type { Resource, Row, SourceText } from '../../resource.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { pastOf } from './history-pages.ts'
import { urlOf } from './list-view.ts'

/** The pages that show what things are made of: the file, and what the API answers. */
export class SourcePages {
  readonly #panel: Panel

  constructor(panel: Panel) {
    this.#panel = panel
  }

  /** Shows the file of one, for who may change it. */
  async file(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const row = await resource.get(access, id)
    const file = resource.mayUpdate(access, row) ? await resource.source?.(access, id) : undefined
    const source = file && { ...file, path: file.path ?? (await lastPath(resource, row, request)) }
    if (!source) throw new NotFound('There is no such page.')
    return this.#send(resource, row, { source, heading: 'The file', tabs: tabsOf(resource, row, 'file', true) }, request, reply)
  }

  /** Shows its file as it was in a revision. */
  async fileThen(
    resource: Resource,
    { id, ts }: { readonly id: string; readonly ts: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const past = pastOf(resource)
    const row = await past.one(access, id, ts)
    const source = resource.mayUpdate(access, row) ? await past.source?.(access, id, ts) : undefined
    if (!source) throw new NotFound('There is no such page.')
    return this.#send(resource, row, { source, heading: 'The file as it was', tabs: [] }, request, reply)
  }

  /** Shows what the API answers with one. */
  async api(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const row = await resource.get(access, id)
    const path = resource.apiPath?.(id)
    if (path === undefined) throw new NotFound('There is no such page.')
    const data = (await resource.answer?.(access, id)) ?? row.values
    const address = `${this.#panel.site.url.replace(/\/+$/, '')}${path}`
    const command = `curl -H "Authorization: Bearer $CMS_TOKEN" '${address.replaceAll("'", '%27')}'`
    const source = { path: `GET ${path}`, text: JSON.stringify({ data }, null, 2) }
    const hasFile = resource.mayUpdate(access, row) && (await resource.source?.(access, id)) !== undefined
    const tabs = tabsOf(resource, row, 'api', hasFile)
    return this.#send(resource, row, { source, heading: 'The API answer', tabs, command }, request, reply)
  }

  #send(
    resource: Resource,
    row: Row,
    page: { readonly source: SourceText; readonly heading: string; readonly tabs: readonly object[]; readonly command?: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { source, heading, tabs, command } = page
    const url = urlOf(resource)
    return this.#panel.pages.send(request, reply, {
      template: 'source',
      title: `${heading} · ${row.title}`,
      data: {
        crumbs: [
          { label: resource.label, url },
          { label: row.title, url: `${url}/${encodeURIComponent(row.id)}/edit` },
          { label: heading },
        ],
        heading,
        count: sizeOf(source.text),
        tabs,
        ...(source.path !== undefined && { place: source.path }),
        ...(command !== undefined && { command }),
        text: source.text,
      },
    })
  }
}

/** The path that the history has of a file. */
async function lastPath({ past }: Resource, { id }: Row, request: FastifyRequest): Promise<string | undefined> {
  if (!past?.source || !(await past.isKept())) return undefined
  const { access } = signedIn(request)
  const [last] = (await past.list(access, id, { per_page: '1' })).data
  return last?.current ? (await past.source(access, id, last.ts))?.path : undefined
}

function tabsOf(resource: Resource, { id }: Row, current: 'file' | 'api', hasFile: boolean): object[] {
  const here = `${urlOf(resource)}/${encodeURIComponent(id)}`
  const file = { label: 'The file', url: `${here}/file`, is_current: current === 'file' }
  const api = { label: 'The API answer', url: `${here}/api`, is_current: current === 'api' }
  return [...(hasFile ? [file] : []), ...(resource.apiPath ? [api] : [])]
}

function sizeOf(text: string): string {
  const bytes = Buffer.byteLength(text)
  return bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KB`
}
