import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Version } from '#core/document.ts'
import { askedBy } from '#http/write-options.ts'
import { Conflict, Failure, type FieldErrors, Forbidden, InvalidInput, NotFound } from '#lib/errors.ts'
import type { Resource, ResourceWrite, Row, Save } from '../../resource.ts'
import type { FormFields } from '../forms/form-values.ts'
import { RecordForm } from '../forms/record-form.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { fieldsSent, textOf } from '../requests/sent.ts'
import type { EditPage } from './edit-page.ts'
import { formOf, formView, savesFor } from './form-view.ts'
import { addressWith } from './list-address.ts'
import { urlOf } from './list-view.ts'
import { ShownOnce } from './shown-once.ts'

const VERSION = /^[0-9a-f]{40}$/

/** Buttons that change a list of the form, and save nothing. */
const IN_FORM = /^(?:add|remove|up|down):/

/** Statuses of a refusal after which the form is shown again, with all that was typed. */
const SHOWN_AGAIN: ReadonlySet<number> = new Set([403, 409, 412, 413, 422, 423, 503])

/** The reason why a form was not taken. */
interface Refused {
  readonly status: number
  readonly errors: FieldErrors
  readonly message?: string
}

/** The forms of a resource: for a new one, and for what is there; with the question before something is removed. */
export class FormPages implements EditPage {
  readonly #panel: Panel

  constructor(panel: Panel) {
    this.#panel = panel
  }

  /** Shows the form for a new one. */
  async create(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    mustMake(resource, request)
    return this.#draw(resource, undefined, request, reply)
  }

  /** Makes one of what was sent. */
  async store(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const make = mustMake(resource, request)
    const { access } = signedIn(request)
    const sent = fieldsSent(request)
    const form = formOf(resource, access, undefined, this.#panel.site)
    const action = textOf(request, 'do')
    if (IN_FORM.test(action)) return this.#draw(resource, undefined, request, reply, { sent: form.act(sent, action) })
    const change = form.read(sent)
    if (Object.keys(change.errors).length > 0)
      return this.#refuse(resource, undefined, request, reply, change, invalid(change.errors))
    const save = saveNamed(savesFor(resource, access, undefined), action)
    try {
      const row = await make({ ...change.set, ...save.set }, { asked: askedBy(request, undefined) })
      if (row.secret !== undefined) {
        await new ShownOnce(this.#panel).keep(signedIn(request), { name: row.title, key: row.secret })
        return leadOn(reply, urlOf(resource))
      }
      return leadOn(reply, `${urlOf(resource)}/${encodeURIComponent(row.id)}/edit?done=${doneOf(save, row, true)}`)
    } catch (error) {
      return this.#refuse(resource, undefined, request, reply, change, refusalOf(error))
    }
  }

  /** Shows the form of what is there. */
  async show(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#draw(resource, await resource.get(signedIn(request).access, id), request, reply)
  }

  /** Changes what is there as the form says: nothing where it was sent as it came. */
  async update(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const row = await resource.get(access, id)
    if (!resource.update || !resource.mayUpdate(access, row))
      throw new Forbidden(`You may read this ${resource.singular}, and not change it.`)
    const base = baseOf(request, row)
    const before = base === row.version ? row : ((await resource.inVersion?.(access, id, base ?? '')) ?? row)
    const sent = fieldsSent(request)
    const form = formOf(resource, access, before, this.#panel.site)
    const action = textOf(request, 'do')
    if (IN_FORM.test(action)) return this.#draw(resource, before, request, reply, { sent: form.act(sent, action), base })
    const change = form.read(sent)
    if (Object.keys(change.errors).length > 0)
      return this.#refuse(resource, before, request, reply, change, invalid(change.errors), base)
    const save = saveNamed(savesFor(resource, access, row), action)
    const set = { ...change.set, ...save.set }
    const here = `${urlOf(resource)}/${encodeURIComponent(id)}/edit`
    if (Object.keys(set).length === 0) return leadOn(reply, `${here}?done=nothing`)
    try {
      const made = await resource.update(access, id, set, { asked: askedBy(request, undefined), base })
      return leadOn(reply, `${here}?done=${doneOf(save, made, false)}`)
    } catch (error) {
      return this.#refuse(resource, before, request, reply, change, refusalOf(error), base)
    }
  }

  /** Asks before something is removed. */
  async ask(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const row = await this.#removable(resource, id, request)
    const url = urlOf(resource)
    const here = `${url}/${encodeURIComponent(id)}`
    const fields = resource.removalFields?.(access, row) ?? []
    const options = fields.length > 0 ? await resource.options?.(access, row) : undefined
    const form = new RecordForm({ fields, record: undefined, zone: this.#panel.site.timezone })
    return this.#panel.pages.send(request, reply, {
      template: 'confirm',
      title: `Delete ${row.title}`,
      data: {
        crumbs: [{ label: resource.label, url }, { label: row.title, url: `${here}/edit` }, { label: 'Delete' }],
        heading: `Delete this ${resource.singular}?`,
        sentences: [resource.removal ?? 'It is gone at once.'],
        items: [{ title: row.title, url: `${here}/edit`, icon: resource.icon }],
        form: { action: here, method: 'DELETE', hidden: [] },
        fields: form.draw({ optionsOf: ({ name }) => options?.[name] }).fields,
        confirm: { label: `Delete this ${resource.singular}`, tone: 'danger filled' },
        cancel: { label: 'Keep it', url: `${here}/edit` },
      },
    })
  }

  /** Does an action to what is there. */
  async act(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const { action: name } = request.params as { readonly action?: string }
    const action = resource.actions?.find((one) => one.name === name && one.on === 'one')
    if (!action) throw new NotFound('There is no such page.')
    const row = await resource.get(access, id)
    if (!action.may(access, row)) throw new Forbidden(`You may not do this to this ${resource.singular}.`)
    await action.run(access, [id], {}, askedBy(request, undefined))
    return leadOn(reply, `${urlOf(resource)}/${encodeURIComponent(id)}/edit?done=saved`)
  }

  async remove(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const row = await this.#removable(resource, id, request)
    const fields = resource.removalFields?.(access, row) ?? []
    const { set } = new RecordForm({ fields, record: undefined, zone: this.#panel.site.timezone }).read(fieldsSent(request))
    await resource.remove?.(access, id, { asked: askedBy(request, undefined) }, set)
    return leadOn(reply, addressWith(urlOf(resource), { done: 'removed' }))
  }

  async #removable(resource: Resource, id: string, request: FastifyRequest): Promise<Row> {
    const { access } = signedIn(request)
    const row = await resource.get(access, id)
    if (!resource.remove) throw new NotFound('There is no such page.')
    if (!(resource.mayRemove?.(access, row) ?? resource.mayUpdate(access, row)))
      throw new Forbidden(`You may not delete this ${resource.singular}.`)
    return row
  }

  async #draw(
    resource: Resource,
    row: Row | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    shown: { readonly sent?: FormFields; readonly base?: Version | undefined; readonly refused?: Refused } = {},
  ): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const { sent, base, refused } = shown
    const options = await resource.options?.(access, row)
    const view = formView({
      resource,
      access,
      row,
      site: this.#panel.site,
      sent,
      base,
      errors: refused?.errors ?? {},
      message: refused?.message,
      options,
    })
    const title = row ? row.title : `New ${resource.singular}`
    const template = resource.layout === 'desk' ? 'edit' : 'form'
    return this.#panel.pages.send(request, reply, { template, title, status: refused?.status ?? 200, data: view })
  }

  #refuse(
    resource: Resource,
    row: Row | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    { sent }: { readonly sent: FormFields },
    refused: Refused,
    base?: Version,
  ): Promise<FastifyReply> {
    return this.#draw(resource, row, request, reply, { sent, base, refused })
  }
}

/** Returns how one is made; throws NotFound or Forbidden where that is not to be. */
function mustMake(resource: Resource, request: FastifyRequest): NonNullable<Make> {
  const { access } = signedIn(request)
  if (!resource.create) throw new NotFound('There is no such page.')
  if (!resource.mayCreate(access)) throw new Forbidden(`You may not make ${resource.label.toLowerCase()}.`)
  return (values, write) => (resource.create as NonNullable<Resource['create']>).call(resource, access, values, write)
}

type Make = (values: ResourceValues, write: ResourceWrite) => Promise<Row>
type ResourceValues = Parameters<NonNullable<Resource['create']>>[1]

/** The version that a form began from. Throws InvalidInput where it says none. */
function baseOf(request: FastifyRequest, row: Row): Version | undefined {
  if (row.version === undefined) return undefined
  const base = textOf(request, 'base')
  if (!VERSION.test(base))
    throw new InvalidInput({ base: ['The form does not say which version it began from (base). Open its page again.'] })
  return base
}

function saveNamed(saves: readonly Save[], name: string): Save {
  const found =
    name === '' || name === 'save'
      ? (saves.find((save) => save.name === 'save') ?? saves[0])
      : saves.find((save) => save.name === name)
  if (!found)
    throw new Forbidden(
      'You may not save it so: its status was changed meanwhile, or is not yours to change. All you typed is kept if you go back.',
    )
  return found
}

function invalid(errors: FieldErrors): Refused {
  return { status: 422, errors }
}

/** Says why the API's own code refused; throws what is no matter of a form. */
function refusalOf(error: unknown): Refused {
  if (error instanceof InvalidInput) return invalid(error.errors)
  if (!(error instanceof Failure) || !SHOWN_AGAIN.has(error.status)) throw error
  const fields =
    error instanceof Conflict && error.conflict ? (error.conflict as { fields?: readonly string[] }).fields : undefined
  return { status: error.status, errors: {}, message: fields ? `${error.message} (${fields.join(', ')})` : error.message }
}

function doneOf(save: Save, row: Row, isNew: boolean): string {
  if (row.status === 'scheduled' && 'status' in save.set) return 'scheduled'
  if (save.isMain && 'status' in save.set && save.label === 'Publish') return 'published'
  if (save.label === 'Unpublish') return 'unpublished'
  return isNew ? 'created' : 'saved'
}
