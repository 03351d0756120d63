import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '#core/access.ts'
import type { QueryParams } from '#http/query.ts'
import { askedBy } from '#http/write-options.ts'
import { type FieldErrors, Forbidden, InvalidInput, NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Resource, ResourceAction, Rows } from '../../resource.ts'
import { filtersSent } from '../filters/sent-filters.ts'
import type { FormFields, FormValue } from '../forms/form-values.ts'
import { RecordForm } from '../forms/record-form.ts'
import { type Titles, titlesOf } from '../forms/titles.ts'
import { columnNames, columnsChosen } from '../people/column-choice.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { fieldsSent, textOf } from '../requests/sent.ts'
import { deletedView } from './deleted-view.ts'
import { addressWith, backOf } from './list-address.ts'
import { listView, urlOf } from './list-view.ts'
import { mayRestore } from './restoring.ts'
import { ShownOnce } from './shown-once.ts'
import { undoOfRemoval } from './undo.ts'

/** The parameters that are the panel's own: the list is not asked for them. */
const OWN: ReadonlySet<string> = new Set(['columns', 'done', 'filters'])

const PER_PAGE = 25
const MOST_SELECTED = 100

/** The list of a resource, and what is done to several of its rows at once. */
export class ListPages {
  readonly #panel: Panel
  readonly #shownOnce: ShownOnce

  constructor(panel: Panel) {
    this.#panel = panel
    this.#shownOnce = new ShownOnce(panel)
  }

  /** Shows a part of the list, as its address says. */
  async show(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access, user } = signedIn(request)
    const params = { ...(request.query as QueryParams) }
    const { locale, timezone } = this.#panel.site
    const filters = resource.filters?.(access) ?? []
    if (params.filters === 'set') return leadOn(reply, addressWith(urlOf(resource), filtersSent(params, filters, timezone)))
    if (params.deleted === 'true' && resource.past?.listsDeleted) return this.showDeleted(resource, request, reply)
    const { rows, errors } = await this.#rows(resource, access, params)
    const chosen = await columnsChosen(this.#panel, user.id, resource.name)
    const columns = columnsOf(request.url) ?? chosen ?? resource.columns
    const hasDeleted = await listsDeleted(resource, access)
    const titles = await titlesIn(this.#panel, resource, access, rows, columns)
    const isFiltering = filters.length > 0 && (params.filters === 'open' || errors !== undefined)
    const suggestions = isFiltering ? await resource.suggestions?.(access) : undefined
    const data = listView({
      ...{ resource, access, params, columns, rows, titles, hasDeleted },
      telling: { locale, timezone, now: this.#panel.clock.now() },
      areChosen: chosen !== undefined,
      filtering: isFiltering ? { suggestions: suggestions ?? new Map(), errors: errors ?? {} } : undefined,
    })
    const isShown = resource.listTemplate !== undefined && request.method === 'GET'
    const made = isShown ? await this.#shownOnce.take(signedIn(request), resource.name) : undefined
    return this.#panel.pages.send(request, reply, {
      template: resource.listTemplate ?? 'list',
      title: resource.label,
      ...(errors && { status: 422 }),
      undo: await undoOfRemoval(this.#panel, resource, request),
      data: { ...data, ...(made && { made }), ...(resource.listTemplate === 'users' && (await this.#invite(resource, access))) },
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
    const params = { ...(request.query as QueryParams) }
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

  /** Does an action to the selected rows; one that asks first shows its question. */
  async act(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const { ids, action: _, sure: isSure, back: __, ...values } = fieldsSent(request)
    const name = textOf(request, 'action')
    const action = resource.actions?.find((one) => one.name === name && one.on === 'many')
    if (!action) throw new NotFound(`There is no action "${name}" here.`)
    if (!action.may(access, undefined)) throw new Forbidden(`You may not do this to ${resource.label.toLowerCase()}.`)
    const chosen = idsOf(ids)
    const back = backOf(resource, textOf(request, 'back') || request.url)
    if (action.confirm !== undefined && isSure === undefined) return this.#ask(resource, action, { chosen, back }, request, reply)
    await action.run(access, chosen, termsOf(values), askedBy(request, undefined))
    return leadOn(reply, addressWith(back, { done: DONE[name] ?? 'saved' }))
  }

  async #ask(
    { label, name, singular }: Resource,
    action: ResourceAction,
    { chosen, back }: { chosen: readonly string[]; back: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const what = chosen.length === 1 ? `this ${singular}` : `${chosen.length} ${label.toLowerCase()}`
    return this.#panel.pages.send(request, reply, {
      template: 'confirm',
      title: `${action.label} ${what}`,
      data: {
        crumbs: [{ label, url: back }, { label: action.label }],
        heading: `${action.label} ${what}?`,
        sentences: [action.confirm],
        items: chosen.map((id) => ({ title: id, url: `/admin/${name}/${encodeURIComponent(id)}/edit` })),
        form: {
          action: `/admin/${name}`,
          method: 'PUT',
          hidden: [
            ...chosen.map((id) => ({ name: 'ids[]', value: id })),
            { name: 'back', value: back },
            { name: 'sure', value: 'yes' },
          ],
        },
        fields: [],
        confirm: { label: `${action.label} ${what}`, name: 'action', value: action.name, tone: 'danger filled' },
        cancel: { label: 'Leave them', url: back },
      },
    })
  }
}

/** Resolves with whether what was removed is listed for the reader. */
export async function listsDeleted(resource: Resource, access: Access): Promise<boolean> {
  const { past } = resource
  return past?.listsDeleted === true && mayRestore(resource, access) && (await past.isKept())
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

const DONE: Readonly<Record<string, string>> = { publish: 'published', unpublish: 'unpublished', delete: 'removed' }

/** The names of the columns that an address asks for: `columns=status,tags`; undefined where it asks for none. */
function columnsOf(url: string): readonly string[] | undefined {
  const asked = new URLSearchParams(url.split('?', 2)[1] ?? '').getAll('columns').flatMap((names) => names.split(','))
  const names = columnNames(asked)
  return names.length > 0 ? names : undefined
}

/** The ids that a form has; throws InvalidInput for none, and for too many. */
export function idsOf(ids: FormValue | undefined): string[] {
  const chosen = (Array.isArray(ids) ? ids : [ids]).filter((id): id is string => typeof id === 'string' && id !== '')
  if (chosen.length === 0) throw new InvalidInput({ ids: ['Nothing is selected: tick what it is to be done to.'] })
  if (chosen.length > MOST_SELECTED) throw new InvalidInput({ ids: [`At most ${MOST_SELECTED} are changed at once.`] })
  return [...new Set(chosen)]
}

/** The lists of terms among the values of a form: `tags[]`, or `tags` with commas. */
function termsOf(values: FormFields): Fields {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const texts = (Array.isArray(value) ? value : [value]).flatMap((one) => (typeof one === 'string' ? one.split(',') : []))
      return [name, texts.map((text) => text.trim()).filter((text) => text !== '')]
    }),
  )
}

function without(params: QueryParams, names: ReadonlySet<string>): QueryParams {
  return Object.fromEntries(Object.entries(params).filter(([name, value]) => !names.has(name) && value !== ''))
}
