import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Version } from '#core/document.ts'
import { type FieldErrors, NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Resource, Row } from '../../resource.ts'
import type { FieldView } from '../forms/field-view.ts'
import type { FormFields } from '../forms/form-values.ts'
import { RecordForm } from '../forms/record-form.ts'
import { mediaWords } from '../forms/references.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { fieldsSent, textOf } from '../requests/sent.ts'
import type { EditPage } from '../resources/edit-page.ts'
import type { Refused } from '../resources/form-outcomes.ts'
import { fieldsOf, formOf } from '../resources/form-view.ts'
import { urlOf } from '../resources/list-view.ts'
import { moreLinks, moreView } from '../resources/more-links.ts'
import { undoOfChange } from '../resources/undo.ts'
import { type EditForm, UpdatePages } from '../resources/update-pages.ts'

/** The group whose settings need no declaration. */
const CUSTOM = 'custom'

/** The content of the page where it is not as it is stored. */
interface Shown {
  readonly sent?: FormFields
  readonly base?: Version | undefined
  readonly refused?: Refused
}

/** The page of a group of settings, with all groups beside. */
export class SettingsPages implements EditPage, EditForm {
  readonly #panel: Panel
  readonly #updates: UpdatePages

  constructor(panel: Panel) {
    this.#panel = panel
    this.#updates = new UpdatePages(panel, this)
  }

  /** Shows the first group. */
  async list(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { rows } = await resource.list(signedIn(request).access, {})
    const first = rows.find(({ id }) => id === 'site') ?? rows[0]
    if (!first) throw new NotFound('There are no settings.')
    return this.draw(resource, first, request, reply)
  }

  async show(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.draw(resource, await resource.get(signedIn(request).access, id), request, reply)
  }

  update(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#updates.update(resource, id, request, reply)
  }

  /** Reads the setting of one's own that was typed. */
  others(request: FastifyRequest): { readonly set: Fields; readonly errors: FieldErrors } {
    return ownSetting(request)
  }

  async draw(
    resource: Resource,
    row: Row,
    request: FastifyRequest,
    reply: FastifyReply,
    { sent, base = row.version, refused }: Shown = {},
  ): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const { errors = {}, message, status = 200 } = refused ?? {}
    const { rows } = await resource.list(access, {})
    const media = await mediaWords({ access, find: this.#panel.resourceOf }, fieldsOf(resource, access, row))
    const { fields, others } = formOf(resource, access, row, this.#panel.site).draw({ errors, media, ...(sent && { sent }) })
    const wrong = [...(message === undefined ? [] : [message]), ...others].map((text) => ({ id: '', text }))
    const url = urlOf(resource)
    return this.#panel.pages.send(request, reply, {
      template: 'settings',
      title: `${row.title}, settings`,
      status,
      undo: await undoOfChange(this.#panel, resource, row, request),
      data: {
        crumbs: [{ label: resource.label, url }, { label: row.title }],
        heading: resource.label,
        more: moreView(await moreLinks(resource, access, row)),
        groups: rows.map(({ id, title }) => ({
          label: title,
          url: `${url}/${encodeURIComponent(id)}/edit`,
          is_current: id === row.id,
        })),
        form: { action: `${url}/${encodeURIComponent(row.id)}`, method: 'PUT', base: base ?? '' },
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
