import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Version } from '#core/document.ts'
import { askedBy } from '#http/requests/write-options.ts'
import { type FieldErrors, Forbidden, NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Resource, Row, Save } from '../../resource.ts'
import { keepSent } from '../autosaves/keeping-sent.ts'
import type { FormFields } from '../forms/form-values.ts'
import type { FormChange } from '../forms/record-form.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { fieldsSent, textOf } from '../requests/sent.ts'
import { ConflictPages } from './conflict-pages.ts'
import type { EditPage } from './edit-page.ts'
import { baseOf, doneOf, invalid, meetingIn, mergedIn, type Refused, refusalOf, saveNamed, versionIn } from './form-outcomes.ts'
import { IN_FORM } from './form-pages.ts'
import { formOf, savesFor } from './form-view.ts'
import { GonePage } from './gone-page.ts'
import { urlOf } from './list-view.ts'

/** The form of what is there, as one kind of page has it. */
export interface EditForm {
  /** Shows the form, with what was sent where it was not taken. */
  draw(
    resource: Resource,
    row: Row,
    request: FastifyRequest,
    reply: FastifyReply,
    shown?: { readonly sent?: FormFields; readonly base?: Version | undefined; readonly refused?: Refused },
  ): Promise<FastifyReply>
  /** Reads the values that the form has beside those of fields. */
  others?(request: FastifyRequest, start: Row): { readonly set: Fields; readonly errors: FieldErrors }
  /** Forgets what was kept of a form that is saved by now. */
  saved?(resource: Resource, id: string, request: FastifyRequest): Promise<void>
}

/** A form that was sent for what is there, read. */
interface Sent {
  readonly id: string
  /** It as it is now. */
  readonly row: Row
  /** It in the version that the edit began from; as it is now, where that is not known any more. */
  readonly start: Row
  readonly isKnown: boolean
  readonly change: FormChange
  readonly save: Save
  /** The version that the form names, and the one that the edit began from: they differ on the page of a conflict. */
  readonly base: Version | undefined
  readonly from: Version | undefined
}

/** The form of what is there, and what it changes. */
export class UpdatePages implements EditPage {
  readonly #panel: Panel
  readonly #forms: EditForm
  readonly #conflicts: ConflictPages
  readonly #gone: GonePage

  constructor(panel: Panel, forms: EditForm) {
    this.#panel = panel
    this.#forms = forms
    this.#conflicts = new ConflictPages(panel)
    this.#gone = new GonePage(panel)
  }

  /** Shows the form of what is there. */
  async show(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#forms.draw(resource, await resource.get(signedIn(request).access, id), request, reply)
  }

  /** Changes what is there as the form says: nothing where it was sent as it came. */
  async update(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      return await this.#update(resource, id, request, reply)
    } catch (error) {
      const base = versionIn(request, '_from') ?? versionIn(request, 'base')
      await keepSent(this.#panel, resource, { id, base }, request)
      if (!(error instanceof NotFound) || !this.#gone.isFor(resource, request)) throw error
      return this.#gone.send(resource, request, reply)
    }
  }

  async #update(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const row = await resource.get(access, id)
    if (!resource.update || !resource.mayUpdate(access, row))
      throw new Forbidden(`You may read this ${resource.singular}, and not change it.`)
    const base = baseOf(request, row)
    const from = versionIn(request, '_from') ?? base
    const isSettling = versionIn(request, '_from') !== undefined
    const inVersion = (version: Version | undefined) =>
      version === row.version ? row : resource.inVersion?.(access, id, version ?? '')
    const [before, newer] = [await inVersion(from), isSettling ? await inVersion(base) : undefined]
    const start = before ?? newer ?? row
    const form = formOf(resource, access, start, this.#panel.site)
    const sent = fieldsSent(request)
    const action = textOf(request, 'do')
    if (IN_FORM.test(action))
      return this.#forms.draw(resource, start, request, reply, { sent: form.act(sent, action), base: from })
    if (textOf(request, '_back') !== '') return this.#forms.draw(resource, start, request, reply, { sent, base: from })
    const read = form.read(sent)
    const others = this.#forms.others?.(request, start)
    const change = { ...read, set: { ...read.set, ...others?.set }, errors: { ...read.errors, ...others?.errors } }
    if (Object.keys(change.errors).length > 0)
      return this.#forms.draw(resource, start, request, reply, { sent: change.sent, refused: invalid(change.errors), base: from })
    const save = saveNamed(savesFor(resource, access, start), action)
    const all = { id, row, start, isKnown: before !== undefined, change, save, base, from }
    if (!isSettling) return this.#save(resource, all, { ...change.set, ...save.set }, request, reply)
    // An answer is to what was shown: of a version that is not known any more nobody can tell what that was.
    if (!newer) return this.#conflicts.send(resource, this.#edits(all, []), request, reply, { status: 409, errors: [] })
    const settled = this.#conflicts.settle(resource, { ...this.#edits(all, []), row: newer }, request)
    if ('set' in settled) return this.#save(resource, all, settled.set, request, reply)
    return this.#conflicts.send(resource, { ...this.#edits(all, []), row: newer }, request, reply, {
      status: 422,
      errors: settled.errors,
    })
  }

  async #save(resource: Resource, read: Sent, set: Fields, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const { id, save, base, from, start, change } = read
    const here = (row: Row) => `${urlOf(resource)}/${encodeURIComponent(row.id)}/edit`
    if (Object.keys(set).length === 0) {
      await this.#forms.saved?.(resource, id, request)
      return leadOn(reply, `${here(read.row)}?done=nothing`)
    }
    try {
      const made = await resource.update?.(access, id, set, { asked: askedBy(request, undefined), base })
      await this.#forms.saved?.(resource, id, request)
      // It may have another id by now.
      const done = made ? doneOf(save, made, false) : 'nothing'
      return leadOn(reply, `${here(made ?? read.row)}?done=${done}${made ? mergedIn(base, read.row) : ''}`)
    } catch (error) {
      const named = meetingIn(error)
      if (named) {
        const row = await resource.get(access, id)
        return this.#conflicts.send(resource, { ...this.#edits(read, named), row }, request, reply, { status: 409, errors: [] })
      }
      const refused = refusalOf(error)
      if (from === base) return this.#forms.draw(resource, start, request, reply, { sent: change.sent, refused, base })
      const errors = [...(refused.message === undefined ? [] : [refused.message]), ...Object.values(refused.errors).flat()]
      return this.#conflicts.send(resource, this.#edits(read, []), request, reply, { status: refused.status, errors })
    }
  }

  #edits({ row, start, isKnown, change, save, from }: Sent, named: readonly string[]) {
    return { row, before: isKnown ? start.values : undefined, set: { ...change.set, ...save.set }, named, from: from ?? '' }
  }
}
