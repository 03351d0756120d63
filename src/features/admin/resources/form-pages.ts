import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Version } from '#core/document.ts'
import { askedBy } from '#http/requests/write-options.ts'
import { type FieldErrors, Forbidden, NotFound } from '#lib/errors.ts'
import type { Resource, ResourceWrite, Row } from '../../resource.ts'
import { formIdOf, newFormId } from '../autosaves/form-ids.ts'
import { formIdsOf, keepSent } from '../autosaves/keeping-sent.ts'
import { keeperOf, keptTextOf } from '../autosaves/kept-texts.ts'
import type { FormFields } from '../forms/form-values.ts'
import { RecordForm } from '../forms/record-form.ts'
import { referenceWords } from '../forms/references.ts'
import { type MembersShown, membersView } from '../members/members-view.ts'
import { editorOf } from '../people/editor-choice.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { fieldsSent, textOf } from '../requests/sent.ts'
import { doneOf, invalid, type Refused, refusalOf, saveNamed } from './form-outcomes.ts'
import { fieldsOf, formOf, formView, savesFor } from './form-view.ts'
import { addressWith } from './list-address.ts'
import { urlOf } from './list-view.ts'
import { MadeOnce } from './made-once.ts'
import { moreLinks } from './more-links.ts'
import { ShownOnce } from './shown-once.ts'
import { undoOfChange } from './undo.ts'

/** Buttons that change a list of the form, and save nothing. */
export const IN_FORM = /^(?:add|remove|up|down|move):/

/** The forms of a resource: for a new one, and for what is there; with the question before something is removed. */
export class FormPages {
  readonly #panel: Panel
  readonly #once: MadeOnce

  constructor(panel: Panel) {
    this.#panel = panel
    this.#once = new MadeOnce(panel)
  }

  /** Shows the form for a new one. */
  async create(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    mustMake(resource, request)
    return this.draw(resource, undefined, request, reply)
  }

  /** Makes one of what was sent. */
  async store(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const make = mustMake(resource, request)
    try {
      return await this.#store(resource, make, request, reply)
    } catch (error) {
      await keepSent(this.#panel, resource, { id: undefined, base: undefined }, request)
      throw error
    }
  }

  async #store(resource: Resource, make: NonNullable<Make>, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const sent = fieldsSent(request)
    const form = formOf(resource, access, undefined, this.#panel.site)
    const action = textOf(request, 'do')
    if (IN_FORM.test(action)) return this.draw(resource, undefined, request, reply, { sent: form.act(sent, action) })
    const change = form.read(sent)
    if (Object.keys(change.errors).length > 0)
      return this.draw(resource, undefined, request, reply, { sent: change.sent, refused: invalid(change.errors) })
    const save = saveNamed(savesFor(resource, access, undefined), action)
    try {
      const values = { ...change.set, ...save.set }
      const { row, wasSecret } = await this.#once.run(resource, request, () =>
        make(values, { asked: askedBy(request, undefined) }),
      )
      await this.saved(resource, undefined, request)
      if (wasSecret && row.secret === undefined) return leadOn(reply, urlOf(resource))
      if (row.secret !== undefined) {
        await new ShownOnce(this.#panel).keep(signedIn(request), resource.name, { name: row.title, key: row.secret })
        return leadOn(reply, urlOf(resource))
      }
      return leadOn(reply, `${urlOf(resource)}/${encodeURIComponent(row.id)}/edit?done=${doneOf(save, row, true)}`)
    } catch (error) {
      return this.draw(resource, undefined, request, reply, { sent: change.sent, refused: refusalOf(error) })
    }
  }

  /** Asks before something is removed, or merged into another. */
  async ask(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { merge } = request.query as { readonly merge?: string }
    return this.#ask(resource, await this.#removable(resource, id, request), request, reply, { isMerge: merge === 'true' })
  }

  async #ask(
    resource: Resource,
    row: Row,
    request: FastifyRequest,
    reply: FastifyReply,
    { isMerge, errors = {} }: { readonly isMerge: boolean; readonly errors?: FieldErrors },
  ): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const { id, title } = row
    const url = urlOf(resource)
    const here = `${url}/${encodeURIComponent(id)}`
    const fields = resource.removalFields?.(access, row) ?? []
    const options = fields.length > 0 ? await resource.options?.(access, row) : undefined
    const form = new RecordForm({ fields, record: undefined, zone: this.#panel.site.timezone })
    const merges = isMerge && fields.length > 0
    const verb = merges ? 'Merge' : 'Delete'
    const drawn = form.draw({ errors, optionsOf: ({ name }) => options?.[name] }).fields
    return this.#panel.pages.send(request, reply, {
      template: 'confirm',
      title: `${verb} ${title}`,
      status: Object.keys(errors).length > 0 ? 422 : 200,
      data: {
        crumbs: [{ label: resource.label, url }, { label: title, url: `${here}/edit` }, { label: verb }],
        heading: merges ? `Merge ${title} into another` : `Delete this ${resource.singular}?`,
        sentences: [
          merges
            ? 'The other one takes its place in all records that bear it, in one commit.'
            : (resource.removal ?? 'It is gone at once.'),
        ],
        items: [{ title, url: `${here}/edit`, icon: resource.icon }],
        form: { action: here, method: 'DELETE', hidden: merges ? [{ name: 'merge', value: 'true' }] : [] },
        fields: merges ? drawn.map((field) => ({ ...field, label: 'Into', help: '', required: true })) : drawn,
        confirm: merges
          ? { label: 'Merge', tone: 'primary' }
          : { label: `Delete this ${resource.singular}`, tone: 'danger filled' },
        cancel: { label: 'Keep it', url: merges ? url : `${here}/edit` },
        errors: Object.values(errors)
          .flat()
          .map((text) => ({ id: drawn[0]?.id ?? '', text })),
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
    const [field] = fields
    if (textOf(request, 'merge') === 'true' && field && set[field.name] === undefined) {
      const errors = { [field.name]: [`Choose the ${resource.singular} that takes its place.`] }
      return this.#ask(resource, row, request, reply, { isMerge: true, errors })
    }
    await resource.remove?.(access, id, { asked: askedBy(request, undefined) }, set)
    return leadOn(reply, addressWith(urlOf(resource), { done: resource.past?.listsDeleted ? `removed.${id}` : 'removed' }))
  }

  /** Forgets what was kept of a form that is saved by now. */
  async saved(resource: Resource, id: string | undefined, request: FastifyRequest): Promise<void> {
    if (resource.layout !== 'desk') return
    const forms = formIdsOf(request) ?? [formIdOf({ resource: resource.name, id })]
    await this.#panel.autosaves.drop(keeperOf(signedIn(request)), forms)
  }

  async #removable(resource: Resource, id: string, request: FastifyRequest): Promise<Row> {
    const { access } = signedIn(request)
    const row = await resource.get(access, id)
    if (!resource.remove) throw new NotFound('There is no such page.')
    if (!(resource.mayRemove?.(access, row) ?? resource.mayUpdate(access, row)))
      throw new Forbidden(`You may not delete this ${resource.singular}.`)
    return row
  }

  /** Shows the form, with what was sent where it was not taken. */
  async draw(
    resource: Resource,
    row: Row | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    shown: {
      readonly sent?: FormFields
      readonly base?: Version | undefined
      readonly refused?: Refused
      /** The values that were typed for a new member. */
      readonly typed?: MembersShown['typed']
    } = {},
  ): Promise<FastifyReply> {
    const { access, user } = signedIn(request)
    const kept = shown.sent ? undefined : await keptTextOf(this.#panel, resource, row, request)
    const { sent = kept?.used?.sent, base = kept?.used?.base, refused } = shown
    const forms = (shown.sent && formIdsOf(request)) ?? [newFormId(), ...(kept?.used ? [kept.used.form] : [])]
    const keeping = refused && (await keepSent(this.#panel, resource, { id: row?.id, title: row?.title, base }, request))
    const options = await resource.options?.(access, row)
    const fields = fieldsOf(resource, access, row)
    const references = await referenceWords({ access, user, find: this.#panel.resourceOf }, fields, row?.values)
    const view = formView({
      resource,
      access,
      row: kept?.used?.start ?? row,
      site: this.#panel.site,
      sent,
      base,
      forms,
      errors: refused?.errors ?? {},
      message: refused?.message,
      options,
      references,
      more: row ? await moreLinks(resource, access, row) : [],
      kept: keeping ? { keeping } : kept,
      editor: { mode: await editorOf(this.#panel, user.id), ...this.#panel.editorUrls },
    })
    const title = row ? row.title : `New ${resource.singular}`
    const template = resource.layout === 'desk' ? 'edit' : 'form'
    const undo = await undoOfChange(this.#panel, resource, row, request)
    const { timezone } = this.#panel.site
    const errors = refused?.errors ?? {}
    const members = row && membersView({ resource, access, row, timezone, typed: shown.typed, errors })
    const data = { ...view, ...(members && { members }) }
    return this.#panel.pages.send(request, reply, { template, title, status: refused?.status ?? 200, data, undo })
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
