import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Resource } from '../../resource.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { isForScript, sendJson } from '../requests/sent.ts'
import { statusView, urlOf } from '../resources/list-view.ts'

/** A record that was found. */
export interface FoundRecord {
  readonly type: string
  readonly id: string
  readonly title: string | null
  readonly status: string | null
  readonly url: string | null
}

/** Finds records by words, best first: those that the reader may see. */
export type FindRecords = (
  access: Access,
  asking: { readonly q: string; readonly page: number; readonly perPage: number },
) => Promise<{ readonly data: readonly FoundRecord[]; readonly meta: { readonly total: number } }>

/** The dependencies of the search over all. */
export interface SearchPagesDeps {
  readonly panel: Panel
  /** Undefined where the search is switched off. */
  readonly find: FindRecords | undefined
  readonly resources: (access: Access) => Promise<readonly Resource[]>
}

/** A place that can be jumped to, as the dialog of Ctrl K and the page have it. */
interface Found {
  readonly title: string
  readonly edit_url: string
  readonly note?: string
  readonly status?: object
  readonly icon?: string
}

const MOST = 20
const MOST_JUMPS = 8
const LONGEST = 256

/** `GET /admin/search?q=`: records, places of the panel, and what can be made; as a page, or as JSON for scripts. */
export function searchRoutes(routes: PanelRoutes, deps: SearchPagesDeps): void {
  routes.get('/admin/search', (request, reply) => answerSearch(deps, request, reply))
}

async function answerSearch(deps: SearchPagesDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { q: asked, format } = request.query as { readonly q?: string | string[]; readonly format?: string }
  const q = (typeof asked === 'string' ? asked : '').trim()
  if ([...q].length > LONGEST) throw new InvalidInput({ q: [`Search for at most ${LONGEST} characters.`] })
  const { access } = signedIn(request)
  const isJson = format === 'json' || isForScript(request)
  const resources = await deps.resources(access)
  const { records, total } = await recordsOf(deps, resources, access, q, isJson ? MOST_JUMPS : MOST)
  const groups = [
    { label: 'Records', found: records.map(({ found }) => found) },
    { label: 'Go to', found: placesOf(resources, q) },
    { label: 'Do', found: actionsOf(resources, access, q) },
  ].filter(({ found }) => found.length > 0)
  if (isJson) {
    // Links of a text lead to pages of the site.
    const data = records.flatMap(({ found, url }) => (url === null ? [] : [{ title: found.title, url }]))
    return sendJson(reply, 200, { data, groups: groups.map(({ label, found }) => ({ label, places: found.map(jumpOf) })) })
  }
  return deps.panel.pages.send(request, reply, {
    template: 'search',
    title: q === '' ? 'Search' : `Search for ${q}`,
    data: {
      heading: 'Search',
      search: { action: '/admin/search', q, label: 'Search records and places' },
      groups: groups.map(({ label, found }) => ({ label, rows: found.map(({ edit_url: url, ...row }) => ({ ...row, url })) })),
      ...(total > records.length && { note: `${records.length} of ${total.toLocaleString(deps.panel.site.locale)}` }),
      ...(groups.length === 0 && {
        none: { icon: 'search-x', title: 'Nothing is found', text: 'Try fewer or other words. Titles and texts are searched.' },
      }),
    },
  })
}

async function recordsOf(
  { find }: SearchPagesDeps,
  resources: readonly Resource[],
  access: Access,
  q: string,
  most: number,
): Promise<{ records: { found: Found; url: string | null }[]; total: number }> {
  if (q === '' || !find) return { records: [], total: 0 }
  const { data, meta } = await find(access, { q, page: 1, perPage: most })
  const records = data.flatMap(({ type, id, title, status, url }) => {
    const resource = resources.find(({ name }) => name === `content/${type}`)
    if (!resource) return []
    const found = {
      title: title ?? id,
      edit_url: `${urlOf(resource)}/${encodeURIComponent(id)}/edit`,
      note: `${resource.label}${status === null ? '' : ` · ${statusView(status).label}`}`,
      ...(status !== null && { status: statusView(status) }),
    }
    return [{ found, url }]
  })
  return { records, total: meta.total }
}

function placesOf(resources: readonly Resource[], q: string): Found[] {
  const own = [
    { title: 'Dashboard', edit_url: '/admin', icon: 'dashboard' },
    { title: 'Your account', edit_url: '/admin/account', icon: 'user' },
  ]
  const all = [...own, ...resources.map((one) => ({ title: one.label, edit_url: urlOf(one), icon: one.icon }))]
  return all.filter(({ title }) => isLike(title, q))
}

function actionsOf(resources: readonly Resource[], access: Access, q: string): Found[] {
  return resources
    .filter((one) => one.create && one.mayCreate(access))
    .map((one) => ({ title: `New ${one.singular}`, edit_url: `${urlOf(one)}/create`, icon: 'plus' }))
    .filter(({ title }) => isLike(title, q))
}

/** Returns whether each word that was typed begins one of a title. */
function isLike(title: string, q: string): boolean {
  const words = title.toLowerCase().split(/\s+/)
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)))
}

function jumpOf({ title, edit_url, note }: Found) {
  return { title, edit_url, ...(note !== undefined && { note }) }
}
