import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Forbidden } from '#lib/errors.ts'
import { proofOf } from '../signing-in/panel-sessions.ts'

/** The addresses that the panel is opened at, beside the one that a request came to. */
export interface OwnOrigins {
  readonly origins: readonly string[]
}

/** The proof that a form is of this browser's session: its first part stands for the session, its second for the user. */
export function formToken(secret: string, mark = ''): string {
  return mark === '' ? proofOf(secret, 'form') : `${proofOf(secret, 'form')}.${proofOf(mark, 'form')}`
}

/** The result of looking at the token of a form: `earlier` is one of an earlier session of the same user. */
export type TokenState = 'good' | 'earlier' | 'bad'

/** Compares the token that came with a form with the one of now, in constant time. */
export function tokenState(sent: unknown, secret: string, mark = ''): TokenState {
  if (typeof sent !== 'string') return 'bad'
  if (isSame(sent, formToken(secret, mark))) return 'good'
  const [, whose = ''] = sent.split('.')
  return mark !== '' && isSame(whose, proofOf(mark, 'form')) ? 'earlier' : 'bad'
}

/**
 * Throws Forbidden for a write that a page of another origin sent: by `Sec-Fetch-Site` and `Origin`, where a browser sends them
 * (Fetch §3.2; an empty Origin counts as none).
 */
export function mustComeFromHere(request: FastifyRequest, own: readonly string[]): void {
  const { origin = '', 'sec-fetch-site': site } = request.headers
  if (site === 'cross-site' || (site === 'same-site' && origin === '')) throw foreign()
  if (origin === '') return
  if (origin !== `${request.protocol}://${request.headers.host}` && !own.includes(origin)) throw foreign()
}

function foreign(): Forbidden {
  return new Forbidden('This was sent from a page of another site, and nothing was done. Open the panel itself and try again.')
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
