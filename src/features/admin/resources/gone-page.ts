import type { FastifyReply, FastifyRequest } from 'fastify'
import { labelOf } from '#core/types/fields.ts'
import type { Resource } from '../../resource.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { keptOf, textOf } from '../requests/sent.ts'
import { versionIn } from './form-outcomes.ts'
import { urlOf } from './list-view.ts'

/** Fields of forms that are none of what was typed. */
const OWN = /^(?:_|base$|do$)|\[__kept\]$/

/** The page for a form of what is gone: all that was typed, and a button that makes it again. */
export class GonePage {
  readonly #panel: Panel

  constructor(panel: Panel) {
    this.#panel = panel
  }

  /** Returns whether a request is the form of something that was there, and that the caller may make. */
  isFor(resource: Resource, request: FastifyRequest): boolean {
    return versionIn(request, 'base') !== undefined && !!resource.create && resource.mayCreate(signedIn(request).access)
  }

  send(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { singular, layout } = resource
    const fields = keptOf(request).filter(({ name }) => !OWN.test(name))
    const labels = new Map(resource.fields(signedIn(request).access).map(({ name, label }) => [name, label]))
    const isPrivate = layout === 'desk' ? ', as a draft' : ''
    return this.#panel.pages.send(request, reply, {
      template: 'resend',
      title: `This ${singular} is gone`,
      status: 409,
      data: {
        crumbs: [{ label: resource.label, url: urlOf(resource) }, { label: 'Gone' }],
        heading: `This ${singular} is gone`,
        sentences: [
          `It was deleted or moved while you wrote. All you typed is still here, and can be made a new ${singular}${isPrivate}.`,
        ],
        form: {
          action: urlOf(resource),
          method: '',
          hidden: [...fields, { name: '_form', value: textOf(request, '_form') }, { name: 'do', value: 'save' }],
          label: 'Create it again',
        },
        shown: fields
          .filter(({ value }) => value.trim() !== '')
          .map(({ name, value }) => ({ label: labels.get(name.replace(/\[\]$/, '')) ?? labelOfName(name), text: value })),
      },
    })
  }
}

/** The label of a name in a form: `gallery[0][alt]` is "Gallery 1 alt". */
function labelOfName(name: string): string {
  const parts = name.split(/[[\]]+/).filter((part) => part !== '')
  return labelOf(parts.map((part) => (/^\d{1,9}$/.test(part) ? String(Number(part) + 1) : part)).join(' '))
}
