import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Json } from '#lib/json.ts'
import type { Pages } from '../rendering/pages.ts'
import { keptOf, textOf } from './sent.ts'

/** A form that could not be taken, kept in the page itself until it can: nothing of it is on the server. */
export interface KeptForm {
  readonly action: string
  readonly fields: readonly { readonly name: string; readonly value: string }[]
}

/** The name of the field in which the pages of signing in carry a form. */
const FIELD = '_kept'

/** Returns the form that came with a request, without passwords. */
export function keptFrom(request: FastifyRequest): KeptForm {
  return { action: request.url, fields: keptOf(request) }
}

/** The form that a page of signing in carries on; undefined where it carries none. */
export function keptIn(request: FastifyRequest): KeptForm | undefined {
  const text = textOf(request, FIELD)
  if (text === '') return undefined
  try {
    return readKept(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The hidden fields by which a page of signing in carries a form. */
export function carrying(kept: KeptForm | undefined): { name: string; value: string }[] {
  return kept ? [{ name: FIELD, value: JSON.stringify(kept) }] : []
}

/** Shows a form that was kept, ready to be sent by who is signed in: nothing is done before they do. */
export function sendKept(
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  { action, fields }: KeptForm,
  page: { readonly status: number; readonly title: string; readonly sentences: readonly string[]; readonly csrf?: string },
): Promise<FastifyReply> {
  const { title, status, sentences, csrf } = page
  const method = fields.find(({ name }) => name === '_method')?.value ?? ''
  const hidden = fields.filter(({ name }) => name !== '_method')
  return pages.send(request, reply, {
    template: 'error',
    title,
    status,
    data: {
      ...{ number: '', heading: title, sentences, near: [], buttons: [], ...(csrf !== undefined && { csrf }) },
      form: { action, method, hidden, label: 'Send it now' },
    },
  })
}

function readKept(value: Json): KeptForm | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { action, fields } = value
  // A page of signing in leads to no other site.
  if (typeof action !== 'string' || !/^\/admin(?:\/[\x21-\x7e]*)?$/.test(action) || !Array.isArray(fields)) return undefined
  const read = fields.flatMap((field) => {
    if (typeof field !== 'object' || field === null || Array.isArray(field)) return []
    return typeof field.name === 'string' && typeof field.value === 'string' ? [{ name: field.name, value: field.value }] : []
  })
  return { action, fields: read }
}
