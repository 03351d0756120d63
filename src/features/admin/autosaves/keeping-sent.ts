import type { FastifyRequest } from 'fastify'
import type { Version } from '#core/document.ts'
import type { Resource } from '../../resource.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { sentOf, textOf } from '../requests/sent.ts'
import { type FormIds, formIdsIn } from './form-ids.ts'
import { keeperOf, keepingOf } from './kept-texts.ts'
import { typedOf } from './typed.ts'

/** The thing that a form which was sent is of, and the version that the edit began from. */
export interface SentFor {
  readonly id: string | undefined
  readonly title?: string | undefined
  readonly base: Version | undefined
}

/** Returns the ids of the form that came with a request; undefined where it has none. */
export function formIdsOf(request: FastifyRequest): FormIds | undefined {
  return formIdsIn(textOf(request, '_form'))
}

/**
 * Keeps a form that is sent and not taken, for it is on the page of the answer alone. Returns the state that the form shows;
 * undefined where it could not be kept, which must not hide that page.
 */
export async function keepSent(
  panel: Panel,
  resource: Resource,
  { id, title, base }: SentFor,
  request: FastifyRequest,
): Promise<object | undefined> {
  const sent = sentOf(request)
  if (resource.layout !== 'desk' || !sent) return undefined
  const typed = textOf(request, 'title').trim() || title || ''
  const kept = { resource: resource.name, id, base, title: typed.slice(0, 200), pairs: typedOf(sent.pairs) }
  try {
    const at = await panel.autosaves.keep(keeperOf(signedIn(request)), { ...kept, forms: formIdsOf(request) })
    return keepingOf({ at }, panel)
  } catch {
    return undefined
  }
}
