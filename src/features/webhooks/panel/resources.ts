import type { Access } from '#core/access/access.ts'
import type { Field } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import { pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Offered } from '../../offered.ts'
import type { Resource, ResourceLink, Resources, Row, Rows } from '../../resource.ts'
import type { WebhookView } from '../schema.ts'
import type { Webhooks } from '../webhooks.ts'

/** Patterns that a form offers, the wide ones first. */
const OFFERED: readonly Offered[] = [
  { value: '*', label: 'Everything' },
  { value: 'record.*', label: 'record.*: everything about records' },
  { value: 'record.created', label: 'record.created' },
  { value: 'record.updated', label: 'record.updated' },
  { value: 'record.published', label: 'record.published: by hand or by the clock' },
  { value: 'record.unpublished', label: 'record.unpublished' },
  { value: 'record.moved', label: 'record.moved' },
  { value: 'record.deleted', label: 'record.deleted' },
  { value: 'record.expired', label: 'record.expired' },
  { value: 'term.*', label: 'term.*: categories, tags' },
  { value: 'media.*', label: 'media.*: files' },
  { value: 'menu.*', label: 'menu.*' },
  { value: 'settings.*', label: 'settings.*' },
  { value: 'user.*', label: 'user.*' },
  { value: 'subscription.*', label: 'subscription.*' },
]

/** The webhooks of a site in the panel, for who has webhooks:write. */
export class WebhookResource implements Resource, Resources {
  readonly name = 'webhooks'
  readonly label = 'Webhooks'
  readonly singular = 'webhook'
  readonly empty = 'A webhook tells another server what happens here, as soon as it has happened.'
  readonly group = 'run'
  readonly icon = 'webhook'
  readonly layout = 'form'
  readonly listTemplate = 'webhooks'
  readonly columns = ['events', 'state', 'owner', 'created_at']
  readonly sorts = []
  readonly removal = 'Nothing more is sent there, and what is on its way is given up.'
  readonly #webhooks: Webhooks

  constructor(webhooks: Webhooks) {
    this.#webhooks = webhooks
  }

  async seen(access: Access): Promise<Resource[]> {
    return this.sees(access) ? [this] : []
  }

  named(name: string): Resource | undefined {
    return name === this.name ? this : undefined
  }

  sees(access: Access): boolean {
    return access.may('webhooks:write')
  }

  fields(): readonly Field[] {
    return [
      fieldOf('url', {
        type: 'url',
        label: 'Address',
        rules: 'required|max:2000',
        help: 'Where events are sent: http or https, never in a private network.',
      }),
      fieldOf('events', { type: 'select', multiple: true, rules: 'required' }),
      fieldOf('description', { type: 'text', rules: 'max:200', help: 'A few words on what it is for.' }),
    ]
  }

  async options(_access: Access, row?: Row): Promise<Record<string, readonly Offered[]>> {
    const own = textsOf(row?.values.events).filter((name) => !OFFERED.some(({ value }) => value === name))
    return { events: [...OFFERED, ...own.map((value) => ({ value, label: value }))] }
  }

  mayCreate(access: Access): boolean {
    return this.sees(access)
  }

  mayUpdate(_access: Access, { values }: Row): boolean {
    return values.configured !== true
  }

  links({ id }: Row): readonly ResourceLink[] {
    return [{ label: 'Deliveries', url: `/admin/webhooks/${encodeURIComponent(id)}/deliveries`, icon: 'send' }]
  }

  apiPath(id: string): string {
    return `/api/webhooks/${encodeURIComponent(id)}`
  }

  async answer(access: Access, id: string): Promise<Json> {
    return { ...(await this.#webhooks.get(access, id)) }
  }

  async list(access: Access, params: QueryParams): Promise<Rows> {
    const paging = pagingOf(params)
    const { data, meta } = await this.#webhooks.list(access, paging)
    return { rows: data.map((view) => rowOf(view)), total: meta.total, page: paging.page, perPage: paging.perPage }
  }

  async get(access: Access, id: string): Promise<Row> {
    return rowOf(await this.#webhooks.get(access, id))
  }

  async create(access: Access, { url, events, description }: Fields): Promise<Row> {
    const input = { url: String(url ?? ''), events: textsOf(events), description: String(description ?? '') }
    const { view, secret } = await this.#webhooks.create(access, input)
    return rowOf(view, secret)
  }

  async update(access: Access, id: string, { url, events, description }: Fields): Promise<Row> {
    const change = {
      ...(url !== undefined && { url: String(url ?? '') }),
      ...(events !== undefined && { events: textsOf(events) }),
      ...(description !== undefined && { description: String(description ?? '') }),
    }
    return rowOf(await this.#webhooks.update(access, id, change))
  }

  async remove(access: Access, id: string): Promise<void> {
    await this.#webhooks.remove(access, id)
  }
}

function rowOf(view: WebhookView, secret?: string): Row {
  const { id, url, description, enabled, configured, owner } = view
  const state = enabled ? 'On' : 'Disabled'
  const values = { ...view, state: configured ? `${state}, of the configuration` : state, owner: owner?.name ?? null }
  return { id, title: description || url.replace(/^https?:\/\//, ''), values, ...(secret !== undefined && { secret }) }
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
