import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Json } from '#lib/json.ts'
import type { Pages } from '../rendering/pages.ts'
import { keptOf, sentOf } from './sent.ts'

/** A form that could not be taken, kept in the page itself until it can: nothing of it is on the server. */
export interface KeptForm {
  readonly action: string
  readonly fields: readonly { readonly name: string; readonly value: string }[]
}

/** The name of the field in which the pages of signing in carry a form. */
const FIELD = '_kept'
const PIECE = 500_000

/** The most characters of a field that a page shows: records have bodies of half of that. */
const LONGEST = 1_900_000

/** Returns the form that came with a request, without passwords. */
export function keptFrom(request: FastifyRequest): KeptForm {
  return { action: request.url, fields: keptOf(request) }
}

/** The form that a page of signing in carries on; undefined where it carries none. */
export function keptIn(request: FastifyRequest): KeptForm | undefined {
  const pieces = sentOf(request)?.values[FIELD]
  const text = Array.isArray(pieces) ? pieces.filter((piece) => typeof piece === 'string').join('') : ''
  if (text === '') return undefined
  try {
    return readKept(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch {
    return undefined
  }
}

/**
 * The hidden fields by which a page of signing in carries a form. They are base64url, in which no character needs escaping: that
 * of a megabyte of `<` took longer than anybody without a session may hold the server.
 */
export function carrying(kept: KeptForm | undefined): { name: string; value: string }[] {
  const text = kept ? Buffer.from(JSON.stringify(kept)).toString('base64url') : ''
  // A template takes no text that is longer.
  const pieces = Array.from({ length: Math.ceil(text.length / PIECE) }, (_, n) => text.slice(n * PIECE, (n + 1) * PIECE))
  return pieces.map((value) => ({ name: `${FIELD}[]`, value }))
}

/** Returns whether a page can carry a form. */
export function isCarried({ fields }: KeptForm): boolean {
  return fields.every(({ value }) => value.length <= LONGEST)
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
