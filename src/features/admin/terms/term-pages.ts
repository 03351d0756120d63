import type { FastifyReply, FastifyRequest } from 'fastify'
import type { QueryParams } from '#http/requests/query.ts'
import { askedBy } from '#http/requests/write-options.ts'
import { Failure, Forbidden, InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Resource, Row } from '../../resource.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { textOf } from '../requests/sent.ts'
import type { EditPage } from '../resources/edit-page.ts'
import { addressWith } from '../resources/list-address.ts'
import type { ListPages } from '../resources/list-pages.ts'
import { urlOf } from '../resources/list-view.ts'
import type { UpdatePages } from '../resources/update-pages.ts'
import { placeIn, placeText, treeView } from './tree-view.ts'

const PER_PAGE = '100'

/** Parameters with which the list is one: a search, or an order, has no tree. */
const OF_LISTS = ['q', 'sort', 'columns'] as const

/** The pages that the terms of a taxonomy share with all other resources. */
interface Shared {
  readonly lists: ListPages
  readonly updates: UpdatePages
}

/** The parts of the page beside the tree. */
interface Beside {
  readonly status?: number
  readonly errors?: readonly string[]
  /** The term that is being renamed, and the name that was typed. */
  readonly renamed?: { readonly id: string; readonly name: string }
}

/** Terms: those of a taxonomy that nests as a tree, in which they are moved, renamed and merged. */
export class TermPages implements EditPage {
  readonly #panel: Panel
  readonly #shared: Shared

  constructor(panel: Panel, shared: Shared) {
    this.#panel = panel
    this.#shared = shared
  }

  async list(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const params = request.query as QueryParams
    if (!resource.tree || OF_LISTS.some((name) => (params[name] ?? '') !== ''))
      return this.#shared.lists.show(resource, request, reply)
    return this.#draw(resource, request, reply)
  }

  show(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#shared.updates.show(resource, id, request, reply)
  }

  update(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#shared.updates.update(resource, id, request, reply)
  }

  /** Puts a term below another, or gives it another name. */
  act(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined {
    const { action } = request.params as { readonly action?: string }
    if (!resource.tree) return undefined
    if (action === 'place') return this.#place(resource, id, request, reply)
    return action === 'rename' ? this.#rename(resource, id, request, reply) : undefined
  }

  async #place(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const row = await this.#changeable(resource, id, request)
    const { parent, base } = placeIn(textOf(request, 'place'))
    const was = typeof row.values.parent === 'string' ? row.values.parent : ''
    const back = this.#here(resource, request)
    if (parent === was) return leadOn(reply, addressWith(back, { done: 'nothing' }))
    try {
      await this.#change(resource, id, { parent: parent === '' ? null : parent }, base, request)
    } catch (error) {
      return this.#refuse(error, resource, request, reply)
    }
    return leadOn(
      reply,
      `${addressWith(back, { done: 'placed', term: id, ...(was !== '' && { was }) })}#term-${encodeURIComponent(id)}`,
    )
  }

  async #rename(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const row = await this.#changeable(resource, id, request)
    const name = textOf(request, 'name').trim()
    const back = this.#here(resource, request)
    if (name === row.title) return leadOn(reply, addressWith(back, { done: 'nothing' }))
    try {
      await this.#change(resource, id, { name }, textOf(request, 'base'), request)
    } catch (error) {
      return this.#refuse(error, resource, request, reply, { id, name })
    }
    return leadOn(reply, `${addressWith(back, { done: 'saved' })}#term-${encodeURIComponent(id)}`)
  }

  async #changeable(resource: Resource, id: string, request: FastifyRequest): Promise<Row> {
    const { access } = signedIn(request)
    const row = await resource.get(access, id)
    if (!resource.update || !resource.mayUpdate(access, row))
      throw new Forbidden(`You may read this ${resource.singular}, and not change it.`)
    return row
  }

  async #change(resource: Resource, id: string, set: Fields, base: string, request: FastifyRequest): Promise<void> {
    const write = { asked: askedBy(request, undefined), base: base === '' ? undefined : base }
    await resource.update?.(signedIn(request).access, id, set, write)
  }

  /** Shows the tree with the reason why something was not done; throws what is no matter of a form. */
  #refuse(
    error: unknown,
    resource: Resource,
    request: FastifyRequest,
    reply: FastifyReply,
    renamed?: Beside['renamed'],
  ): Promise<FastifyReply> {
    if (!(error instanceof Failure) || ![409, 422, 503].includes(error.status)) throw error
    const errors = error instanceof InvalidInput ? Object.values(error.errors).flat() : [error.message]
    return this.#draw(resource, request, reply, { status: error.status, errors, ...(renamed && { renamed }) })
  }

  async #draw(resource: Resource, request: FastifyRequest, reply: FastifyReply, beside: Beside = {}): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const { status = 200, errors = [], renamed } = beside
    const { done, term, was = '' } = request.query as QueryParams
    const page = textOf(request, 'page') || (request.query as QueryParams).page || '1'
    const tree = await resource.tree?.(access, { page, per_page: PER_PAGE })
    const moved = done === 'placed' && request.method === 'GET' ? tree?.rows.find(({ id }) => id === term) : undefined
    const url = urlOf(resource)
    const undo = {
      action: `${url}/${encodeURIComponent(term ?? '')}/place`,
      fields: [
        { name: 'place', value: placeText(moved?.version, was) },
        { name: 'page', value: page },
      ],
    }
    return this.#panel.pages.send(request, reply, {
      template: 'terms',
      title: resource.label,
      status,
      data: {
        ...(tree && treeView({ resource, access, tree, locale: this.#panel.site.locale, renamed })),
        errors: errors.map((text) => ({ id: '', text })),
        ...(moved && {
          flash: [
            {
              tone: 'good',
              text: placedWords(moved.title, tree?.rows.find(({ id }) => id === moved.values.parent)?.title),
              undo,
            },
          ],
        }),
      },
    })
  }

  /** The page of the tree that a form was on. */
  #here(resource: Resource, request: FastifyRequest): string {
    const page = textOf(request, 'page')
    return addressWith(urlOf(resource), { page: /^[1-9]\d{0,5}$/.test(page) && page !== '1' ? page : '' })
  }
}

function placedWords(title: string, above: string | undefined): string {
  return above === undefined ? `${title} stands on its own now.` : `${title} is below ${above} now.`
}
