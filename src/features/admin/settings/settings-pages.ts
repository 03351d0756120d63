import type { FastifyReply, FastifyRequest } from 'fastify'
import { askedBy } from '#http/write-options.ts'
import { Failure, type FieldErrors, InvalidInput, NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Resource, Row } from '../../resource.ts'
import type { FieldView } from '../forms/field-view.ts'
import type { FormFields } from '../forms/form-values.ts'
import { RecordForm } from '../forms/record-form.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { fieldsSent, textOf } from '../requests/sent.ts'
import type { EditPage } from '../resources/edit-page.ts'
import { formOf } from '../resources/form-view.ts'
import { urlOf } from '../resources/list-view.ts'
import { moreLinks, moreView } from '../resources/more-links.ts'

const IN_FORM = /^(?:add|remove|up|down|move):/

/** The group whose settings need no declaration. */
const CUSTOM = 'custom'

/** The content of the page where it is not as it is stored. */
interface Shown {
  readonly sent?: FormFields
  readonly errors?: FieldErrors
  readonly message?: string
  readonly status?: number
}

/** The page of a group of settings, with all groups beside. */
export class SettingsPages implements EditPage {
  readonly #panel: Panel

  constructor(panel: Panel) {
    this.#panel = panel
  }

  /** Shows the first group. */
  async list(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { rows } = await resource.list(signedIn(request).access, {})
    const first = rows.find(({ id }) => id === 'site') ?? rows[0]
    if (!first) throw new NotFound('There are no settings.')
    return this.#draw(resource, first, request, reply)
  }

  async show(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#draw(resource, await resource.get(signedIn(request).access, id), request, reply)
  }

  async update(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const row = await resource.get(access, id)
    const sent = fieldsSent(request)
    const form = formOf(resource, access, row, this.#panel.site)
    const action = textOf(request, 'do')
    if (IN_FORM.test(action)) return this.#draw(resource, row, request, reply, { sent: form.act(sent, action) })
    const change = form.read(sent)
    const own = ownSetting(request)
    const errors = { ...change.errors, ...own.errors }
    if (Object.keys(errors).length > 0)
      return this.#draw(resource, row, request, reply, { sent: change.sent, errors, status: 422 })
    const here = `${urlOf(resource)}/${encodeURIComponent(id)}/edit`
    const set = { ...change.set, ...own.set }
    if (Object.keys(set).length === 0) return leadOn(reply, `${here}?done=nothing`)
    const base = textOf(request, 'base')
    try {
      await resource.update?.(access, id, set, { asked: askedBy(request, undefined), ...(base !== '' && { base }) })
    } catch (error) {
      if (!(error instanceof Failure) || ![409, 422, 503].includes(error.status)) throw error
      const wrong = error instanceof InvalidInput ? renamed(error.errors, set) : {}
      const message = Object.keys(wrong).length > 0 ? {} : { message: error.message }
      return this.#draw(resource, await resource.get(access, id), request, reply, {
        sent: change.sent,
        errors: wrong,
        status: error.status,
        ...message,
      })
    }
    return leadOn(reply, `${here}?done=saved`)
  }

  async #draw(
    resource: Resource,
    row: Row,
    request: FastifyRequest,
    reply: FastifyReply,
    shown: Shown = {},
  ): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const { sent, errors = {}, message, status = 200 } = shown
    const { rows } = await resource.list(access, {})
    const { fields, others } = formOf(resource, access, row, this.#panel.site).draw({ errors, ...(sent && { sent }) })
    const wrong = [...(message === undefined ? [] : [message]), ...others].map((text) => ({ id: '', text }))
    const url = urlOf(resource)
    return this.#panel.pages.send(request, reply, {
      template: 'settings',
      title: `${row.title}, settings`,
      status,
      data: {
        heading: resource.label,
        more: moreView(await moreLinks(resource, access, row)),
        groups: rows.map(({ id, title }) => ({
          label: title,
          url: `${url}/${encodeURIComponent(id)}/edit`,
          is_current: id === row.id,
        })),
        form: { action: `${url}/${encodeURIComponent(row.id)}`, method: 'PUT', base: row.version ?? '' },
        save_label: 'Save settings',
        settings: fields.map((field) => ({
          key: `${row.id}.${field.name}`,
          is_public: isPublic(resource, row.id, field.name),
          field,
        })),
        ...(row.id === CUSTOM && { adding: addingOf(this.#panel, request, errors) }),
        footnote: { tone: 'info', text: 'Settings are files in git like everything else: never for passwords and keys.' },
        errors: [...wrong, ...errorsIn(fields)],
      },
    })
  }
}

/** The fields of a setting of one's own. */
function addingOf({ site }: Panel, request: FastifyRequest, errors: FieldErrors) {
  const field = (name: string, label: string, help: string) => ({ name, type: 'text' as const, label, help, rules: [] })
  const fields = [field('new_name', 'Name', 'Letters, digits, - and _.'), field('new_value', 'Value', 'A text, or JSON.')]
  const drawn = new RecordForm({ fields, record: undefined, zone: site.timezone }).draw({
    sent: fieldsSent(request),
    errors,
  }).fields
  return { label: 'One of your own', note: 'Private, and of any shape.', fields: drawn }
}

/** The setting of one's own that was typed, if there is one. */
function ownSetting(request: FastifyRequest): { set: Fields; errors: FieldErrors } {
  const [name, text] = [textOf(request, 'new_name').trim(), textOf(request, 'new_value')]
  if (name === '' && text === '') return { set: {}, errors: {} }
  if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))
    return { set: {}, errors: { new_name: ['The name needs letters, digits, - and _, such as opening_hours.'] } }
  return { set: { [name]: jsonOr(text) }, errors: {} }
}

function jsonOr(text: string): Fields[string] {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Errors of the API's `value`, as those of the setting that was changed. */
function renamed(errors: FieldErrors, set: Fields): FieldErrors {
  const [name = 'value'] = Object.keys(set)
  return Object.fromEntries(Object.entries(errors).map(([path, messages]) => [path.replace(/^value/, name), messages]))
}

function isPublic(resource: Resource, group: string, name: string): boolean {
  return resource.isPublic?.(group, name) ?? false
}

function errorsIn(fields: readonly FieldView[]): { id: string; text: string }[] {
  return fields.flatMap(({ id, error, items = [], fields: inner = [] }) => [
    ...(error === undefined ? [] : [{ id, text: error }]),
    ...errorsIn(items),
    ...errorsIn(inner),
  ])
}
