import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Version } from '#core/document.ts'
import { askedBy } from '#http/requests/write-options.ts'
import { type Conflict, Failure, type FieldErrors, Forbidden, InvalidInput, NotFound } from '#lib/errors.ts'
import type { Resource, Row } from '../../resource.ts'
import { titlesOf } from '../forms/titles.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { fieldsSent, keptOf, textOf } from '../requests/sent.ts'
import { ConflictPages, leftWords } from '../resources/conflict-pages.ts'
import type { EditPage } from '../resources/edit-page.ts'
import { baseOf, meetingIn, mergedIn, versionIn } from '../resources/form-outcomes.ts'
import { urlOf } from '../resources/list-view.ts'
import { moreLinks, moreView } from '../resources/more-links.ts'
import { undoOfChange } from '../resources/undo.ts'
import { menuAnswers, menuEdits } from './menu-conflicts.ts'
import { menuErrors } from './menu-errors.ts'
import { act, type MenuForm, menuFormOf, menuView, outlineOf, readMenuForm, recordsIn, valuesOf } from './menu-page.ts'

/** The button that makes a menu again which is gone. */
const CREATE = 'create'

/** The version that an edit began from, and the one of which its conflicts were shown. */
interface Began {
  readonly from: Version
  readonly at: Version
}

/** Things that the page shows beside the form. */
interface Beside {
  readonly base?: string
  readonly says?: string
  readonly status?: number
  readonly errors?: FieldErrors
}

/** The page of a menu's tree. Its buttons draw the form again; nothing is saved until Save. */
export class MenuPages implements EditPage {
  readonly #panel: Panel
  readonly #conflicts: ConflictPages

  constructor(panel: Panel) {
    this.#panel = panel
    this.#conflicts = new ConflictPages(panel)
  }

  async show(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const row = await resource.get(signedIn(request).access, id)
    return this.#draw(resource, row, menuFormOf(row), request, reply)
  }

  /** Changes the menu as its form says, or draws the form again as a button says. */
  async update(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const sent = fieldsSent(request)
    const form = readMenuForm(sent)
    const action = textOf(request, 'do')
    if (action === CREATE) return this.#createAgain(resource, id, form, request, reply)
    const row = await resource.get(access, id).catch((error: unknown) => {
      if (!(error instanceof NotFound) || !resource.mayCreate(access)) throw error
      return undefined
    })
    if (!row) return this.#gone(resource, id, form, request, reply)
    if (!resource.update || !resource.mayUpdate(access, row)) throw new Forbidden('You may read this menu, and not change it.')
    const base = baseOf(request, row) ?? ''
    const from = versionIn(request, '_from') ?? base
    if (textOf(request, '_back') !== '') return this.#draw(resource, row, form, request, reply, { base: from })
    if (action !== '') {
      const { form: next, says } = act(form, action, sent)
      return this.#draw(resource, row, next, request, reply, { base: from, says })
    }
    const here = `${urlOf(resource)}/${encodeURIComponent(id)}/edit`
    // What is as it was shown is no wish.
    if (from === row.version && isDeepStrictEqual(form, menuFormOf(row))) return leadOn(reply, `${here}?done=nothing`)
    try {
      const { picks, form: made } = menuAnswers(request, form)
      const settled = picks.size > 0 ? { at: base, picks } : undefined
      await resource.update(access, id, valuesOf(made), { asked: askedBy(request, undefined), base: from, settled })
    } catch (error) {
      if (!(error instanceof Failure) || ![409, 422, 503].includes(error.status)) throw error
      if (meetingIn(error)) return this.#settle(resource, id, form, { from, at: base }, request, reply)
      return this.#draw(resource, row, form, request, reply, { base: from, status: error.status, errors: errorsIn(error) })
    }
    return leadOn(reply, `${here}?done=saved${mergedIn(base, row)}`)
  }

  /** Shows where two edits meet: all such places, with the answers that came. */
  async #settle(
    resource: Resource,
    id: string,
    form: MenuForm,
    { from, at }: Began,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { access } = signedIn(request)
    try {
      // Without the answers it names them all.
      await resource.update?.(access, id, valuesOf(form), { asked: askedBy(request, undefined), base: from })
    } catch (error) {
      const named = meetingIn(error)
      if (!named) throw error
      const row = await resource.get(access, id)
      const { picks } = menuAnswers(request, form)
      const open = named.filter((name) => !picks.has(name))
      const isLeft = picks.size > 0 && at === row.version && open.length > 0
      return this.#conflicts.send(resource, menuEdits(error as Conflict, row, form, from), request, reply, {
        status: isLeft ? 422 : 409,
        errors: isLeft ? [leftWords(open.length)] : [],
      })
    }
    // They do not meet any more: the other edit was taken back.
    return leadOn(reply, `${urlOf(resource)}/${encodeURIComponent(id)}/edit?done=saved`)
  }

  /** Shows what was typed of a menu that is gone, with a button that makes it again. */
  #gone(resource: Resource, id: string, form: MenuForm, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const url = urlOf(resource)
    const hidden = keptOf(request).filter(({ name }) => name.startsWith('items[') || name === 'label')
    return this.#panel.pages.send(request, reply, {
      template: 'resend',
      title: 'This menu is gone',
      status: 409,
      data: {
        crumbs: [{ label: resource.label, url }, { label: 'Gone' }],
        heading: 'This menu is gone',
        sentences: ['It was deleted while you wrote. All you typed is still here, and can be made the menu again.'],
        form: {
          action: `${url}/${encodeURIComponent(id)}`,
          method: 'PUT',
          hidden: [...hidden, { name: 'do', value: CREATE }],
          label: 'Create it again',
        },
        shown: [{ label: form.label || id, text: outlineOf(form) }],
      },
    })
  }

  async #createAgain(
    resource: Resource,
    name: string,
    form: MenuForm,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { access } = signedIn(request)
    if (!resource.create || !resource.mayCreate(access)) throw new Forbidden('You may make no menus.')
    await resource.create(access, { name, ...valuesOf(form) }, { asked: askedBy(request, undefined) })
    return leadOn(reply, `${urlOf(resource)}/${encodeURIComponent(name)}/edit?done=created`)
  }

  async #draw(
    resource: Resource,
    row: Row,
    form: MenuForm,
    request: FastifyRequest,
    reply: FastifyReply,
    beside: Beside = {},
  ): Promise<FastifyReply> {
    const { base = row.version ?? '', says = '', status = 200, errors = {} } = beside
    const { access } = signedIn(request)
    const titles = await titlesOf(access, this.#panel.resourceOf, recordsIn(form))
    const view = menuView(resource, row, form, {
      base,
      says,
      mayWrite: resource.mayUpdate(access, row),
      titles,
      errors: menuErrors(form.items, errors),
    })
    const more = moreView(await moreLinks(resource, access, row))
    return this.#panel.pages.send(request, reply, {
      template: 'menu',
      title: row.title,
      status,
      undo: await undoOfChange(this.#panel, resource, row, request),
      data: { ...view, more },
    })
  }
}

function errorsIn(error: Failure): FieldErrors {
  return error instanceof InvalidInput ? error.errors : { '': [error.message] }
}
