import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Resource, Rows } from '../../resource.ts'
import { filtersSent } from '../filters/sent-filters.ts'
import { RecordForm } from '../forms/record-form.ts'
import { type Titles, titlesOf } from '../forms/titles.ts'
import { columnNames, columnsChosen } from '../people/column-choice.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { deletedView } from './deleted-view.ts'
import { addressWith } from './list-address.ts'
import { listView, urlOf } from './list-view.ts'
import { mayRestore } from './restoring.ts'
import { type Refusal, SelectedRows } from './selected.ts'
import { ShownOnce } from './shown-once.ts'
import { newsOf } from './undo-of-several.ts'

/** The parameters that are the panel's own: the list is not asked for them. */
const OWN: ReadonlySet<string> = new Set(['columns', 'done', 'filters', 'selected', 'undo'])

/** Those of them that say what was done, or is to be: other addresses of the list have them no more. */
const SAID: ReadonlySet<string> = new Set(['done', 'selected', 'undo'])

/** The parameters that leave the numbers of the tabs as they are. */
const UNFILTERED: ReadonlySet<string> = new Set([...OWN, 'page', 'per_page', 'sort', 'status'])

const PER_PAGE = 25
/** After each change, the statuses of all are counted anew. */
const MOST_COUNTED = 20_000

/** The list of a resource, and what is done to several of its rows at once. */
export class ListPages {
  readonly #panel: Panel
  readonly #shownOnce: ShownOnce
  readonly #selected: SelectedRows

  constructor(panel: Panel) {
    this.#panel = panel
    this.#shownOnce = new ShownOnce(panel)
    this.#selected = new SelectedRows(panel, this.show.bind(this))
  }

  /** Shows a part of the list, as its address says; with what could not be done to some of it. */
  async show(resource: Resource, request: FastifyRequest, reply: FastifyReply, refusal?: Refusal): Promise<FastifyReply> {
    const { access, user } = signedIn(request)
    const params = { ...(request.query as QueryParams) }
    const { locale, timezone } = this.#panel.site
    const filters = resource.filters?.(access) ?? []
    if (params.filters === 'set') return leadOn(reply, addressWith(urlOf(resource), filtersSent(params, filters, timezone)))
    if (params.deleted === 'true' && resource.past?.listsDeleted) return this.showDeleted(resource, request, reply)
    const isWhole = Object.keys(without(params, UNFILTERED)).length === 0
    const [{ rows, errors }, counts] = await Promise.all([
      this.#rows(resource, access, params),
      isWhole ? countsOf(resource, access) : undefined,
    ])
    const chosen = await columnsChosen(this.#panel, user.id, resource.name)
    const columns = columnsOf(request.url) ?? chosen ?? resource.columns
    const hasDeleted = await listsDeleted(resource, access)
    const titles = await titlesIn(this.#panel, resource, access, rows, columns)
    const isFiltering = filters.length > 0 && (params.filters === 'open' || errors !== undefined)
    const suggestions = isFiltering ? await resource.suggestions?.(access) : undefined
    const data = listView({
      ...{ resource, access, params: without(params, SAID), columns, rows, titles, hasDeleted, counts },
      telling: { locale, timezone, now: this.#panel.clock.now() },
      areChosen: chosen !== undefined,
      ticked: params.selected === 'all' ? 'all' : refusal?.ticked,
      filtering: isFiltering ? { suggestions: suggestions ?? new Map(), errors: errors ?? {} } : undefined,
    })
    const isShown = resource.listTemplate !== undefined && request.method === 'GET'
    const made = isShown ? await this.#shownOnce.take(signedIn(request), resource.name) : undefined
    const news = await newsOf(this.#panel, resource, request)
    return this.#panel.pages.send(request, reply, {
      template: resource.listTemplate ?? 'list',
      title: resource.label,
      status: refusal?.status ?? (errors ? 422 : 200),
      words: news.words,
      undo: news.undo,
      data: {
        ...data,
        notices: [...news.notices, ...(refusal?.notices ?? [])],
        ...(made && { made }),
        ...(resource.listTemplate === 'users' && (await this.#invite(resource, access))),
      },
    })
  }

  /** The part of the list that is asked for; where a filter's value is none, nothing, and what is wrong. */
  async #rows(
    resource: Resource,
    access: Access,
    params: QueryParams,
  ): Promise<{ readonly rows: Rows; readonly errors?: FieldErrors }> {
    try {
      return { rows: await resource.list(access, { per_page: String(PER_PAGE), ...without(params, OWN) }) }
    } catch (error) {
      const isOfFilters = error instanceof InvalidInput && Object.keys(error.errors).every((name) => name.startsWith('filter'))
      if (!isOfFilters || !resource.filters) throw error
      return { rows: { rows: [], total: 0, page: 1, perPage: PER_PAGE }, errors: error.errors }
    }
  }

  /** Shows what was removed, with the way back. */
  async showDeleted(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const params = without(request.query as QueryParams, SAID)
    const { rows } = await this.#rows(resource, access, params)
    return this.#panel.pages.send(request, reply, {
      template: 'list',
      title: `Deleted ${resource.label.toLowerCase()}`,
      data: deletedView(resource, access, params, rows, this.#panel.site.locale),
    })
  }

  /** Returns the form of an invitation, for who may send one. */
  async #invite(resource: Resource, access: Access): Promise<object> {
    if (!resource.create || !resource.mayCreate(access)) return {}
    const fields = resource.fields(access).filter(({ name }) => name === 'email' || name === 'name')
    const roles = (await resource.options?.(access))?.role ?? []
    const { fields: drawn } = new RecordForm({ fields, record: undefined, zone: this.#panel.site.timezone }).draw()
    return {
      buttons: [],
      invite: {
        action: urlOf(resource),
        label: 'Send invitation',
        fields: drawn,
        roles: roles.map(({ value, label, note = '' }) => ({ name: value, label, note, is_selected: value === 'author' })),
      },
    }
  }

  /** Does an action to the selected rows. */
  act(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#selected.act(resource, request, reply)
  }
}

/** Resolves with whether what was removed is listed for the reader. */
export async function listsDeleted(resource: Resource, access: Access): Promise<boolean> {
  const { past } = resource
  return past?.listsDeleted === true && mayRestore(resource, access) && (await past.isKept())
}

/** The numbers of the tabs; undefined of a list that takes long to be counted. */
async function countsOf(resource: Resource, access: Access): Promise<ReadonlyMap<string, number> | undefined> {
  return ((await resource.count?.(access)) ?? 0) > MOST_COUNTED ? undefined : resource.counts?.(access)
}

/** The titles of what the references of some columns lead to. */
function titlesIn(
  { resourceOf }: Panel,
  resource: Resource,
  access: Access,
  { rows }: Rows,
  columns: readonly string[],
): Promise<Titles> {
  const wanted = new Map<string, Set<string>>()
  for (const { name, type, to } of resource.fields(access)) {
    if (type !== 'reference' || to === undefined || to.includes('/') || !columns.includes(name)) continue
    const ids = wanted.get(to) ?? new Set()
    wanted.set(to, ids)
    for (const { values } of rows) for (const value of [values[name]].flat()) if (typeof value === 'string') ids.add(value)
  }
  return titlesOf(access, resourceOf, wanted)
}

/** The names of the columns that an address asks for: `columns=status,tags`; undefined where it asks for none. */
function columnsOf(url: string): readonly string[] | undefined {
  const asked = new URLSearchParams(url.split('?', 2)[1] ?? '').getAll('columns').flatMap((names) => names.split(','))
  const names = columnNames(asked)
  return names.length > 0 ? names : undefined
}

function without(params: QueryParams, names: ReadonlySet<string>): QueryParams {
  return Object.fromEntries(Object.entries(params).filter(([name, value]) => !names.has(name) && value !== ''))
}
