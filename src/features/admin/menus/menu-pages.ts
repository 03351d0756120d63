import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { askedBy } from '#http/write-options.ts'
import { Conflict, Failure, Forbidden, InvalidInput } from '#lib/errors.ts'
import type { Resource, Row } from '../../resource.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { fieldsSent, textOf } from '../requests/sent.ts'
import type { EditPage } from '../resources/edit-page.ts'
import { urlOf } from '../resources/list-view.ts'
import { moreLinks, moreView } from '../resources/more-links.ts'
import { act, type MenuForm, menuFormOf, menuView, readMenuForm, valuesOf } from './menu-page.ts'

const VERSION = /^[0-9a-f]{40}$/

/** Things that the page shows beside the form. */
interface Beside {
  readonly base?: string
  readonly says?: string
  readonly status?: number
  readonly errors?: readonly string[]
}

/** The page of a menu's tree. Its buttons draw the form again; nothing is saved until Save. */
export class MenuPages implements EditPage {
  readonly #panel: Panel

  constructor(panel: Panel) {
    this.#panel = panel
  }

  async show(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const row = await resource.get(signedIn(request).access, id)
    return this.#draw(resource, row, menuFormOf(row), request, reply)
  }

  async update(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const row = await resource.get(access, id)
    if (!resource.update || !resource.mayUpdate(access, row)) throw new Forbidden('You may read this menu, and not change it.')
    const sent = fieldsSent(request)
    const base = textOf(request, 'base')
    if (!VERSION.test(base))
      throw new InvalidInput({ base: ['The form does not say which version it began from (base). Open its page again.'] })
    const form = readMenuForm(sent)
    const action = textOf(request, 'do')
    if (action !== '') {
      const { form: next, says } = act(form, action, sent)
      return this.#draw(resource, row, next, request, reply, { base, says })
    }
    const here = `${urlOf(resource)}/${encodeURIComponent(id)}/edit`
    // What is as it was shown is no wish.
    if (base === row.version && isDeepStrictEqual(form, menuFormOf(row))) return leadOn(reply, `${here}?done=nothing`)
    try {
      await resource.update(access, id, valuesOf(form), { asked: askedBy(request, undefined), base })
    } catch (error) {
      if (!(error instanceof Failure) || ![409, 422, 503].includes(error.status)) throw error
      return this.#draw(resource, row, form, request, reply, { base, status: error.status, errors: sentencesOf(error) })
    }
    return leadOn(reply, `${here}?done=saved`)
  }

  async #draw(
    resource: Resource,
    row: Row,
    form: MenuForm,
    request: FastifyRequest,
    reply: FastifyReply,
    beside: Beside = {},
  ): Promise<FastifyReply> {
    const { base = row.version ?? '', says = '', status = 200, errors = [] } = beside
    const view = menuView(resource, row, form, { base, says, mayWrite: resource.mayUpdate(signedIn(request).access, row) })
    const more = moreView(await moreLinks(resource, signedIn(request).access, row))
    return this.#panel.pages.send(request, reply, {
      template: 'menu',
      title: row.title,
      status,
      data: { ...view, more, errors: errors.map((text) => ({ id: '', text })) },
    })
  }
}

function sentencesOf(error: Failure): readonly string[] {
  if (error instanceof InvalidInput) return Object.values(error.errors).flat()
  if (error instanceof Conflict) return [`${error.message} Open the menu anew in another tab to see what others did.`]
  return [error.message]
}
