import type { FastifyRequest } from 'fastify'
import type { RevisionView } from '#http/past/revisions.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { Failure } from '#lib/errors.ts'
import type { Resource, Row } from '../../resource.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { mayRestore, mayTurnBack } from './restoring.ts'

/** The form that takes back what was just done. */
export interface Undo {
  readonly action: string
  readonly fields: readonly { readonly name: string; readonly value: string }[]
}

/** Time in milliseconds after which a page that is opened again offers it no more. */
export const RECENT_MS = 120_000

/** Words of pages after which there is an earlier version to go back to. */
const CHANGES: ReadonlySet<string> = new Set(['saved', 'published', 'unpublished', 'scheduled'])

/** Resolves with what takes back the change that a page says was made; undefined where nothing does. */
export async function undoOfChange(
  panel: Panel,
  resource: Resource,
  row: Row | undefined,
  request: FastifyRequest,
): Promise<Undo | undefined> {
  const { done = '' } = request.query as QueryParams
  const { access } = signedIn(request)
  if (request.method !== 'GET' || !row || !CHANGES.has(done) || !mayTurnBack(resource, access, row)) return undefined
  const [last, before] = await lastTwo(resource, row.id, request)
  if (!last?.current || !before || before.action === 'deleted' || !isOwnNews(last, panel, request)) return undefined
  return undoTo(resource, row.id, before, [{ name: 'base', value: row.version ?? '' }])
}

/** Resolves with what brings back the thing that a list says was removed (`?done=removed.<id>`). */
export async function undoOfRemoval(panel: Panel, resource: Resource, request: FastifyRequest): Promise<Undo | undefined> {
  const { done = '' } = request.query as QueryParams
  const { access } = signedIn(request)
  const { past } = resource
  const id = /^removed\.(.+)$/s.exec(done)?.[1]
  if (request.method !== 'GET' || id === undefined) return undefined
  if (past?.listsDeleted !== true || !mayRestore(resource, access)) return undefined
  const [last, before] = await lastTwo(resource, id, request)
  if (last?.action !== 'deleted' || !before || !isOwnNews(last, panel, request)) return undefined
  return undoTo(resource, id, before, [{ name: 'base', value: 'absent' }])
}

/** The two newest revisions of one, the newer first; none where none are kept, or there is no such thing. */
export async function lastTwo({ past }: Resource, id: string, request: FastifyRequest): Promise<readonly RevisionView[]> {
  if (!past || !(await past.isKept())) return []
  try {
    return (await past.list(signedIn(request).access, id, { per_page: '2' })).data
  } catch (error) {
    // An address may name anything.
    if (error instanceof Failure && error.status < 500) return []
    throw error
  }
}

/** Returns whether a revision was made by the reader a while ago. */
export function isOwnNews({ author, created_at: at }: RevisionView, { clock }: Panel, request: FastifyRequest): boolean {
  return author.name === signedIn(request).user.name && clock.now() - Date.parse(at) < RECENT_MS
}

function undoTo({ name }: Resource, id: string, { ts }: RevisionView, fields: Undo['fields']): Undo {
  return {
    action: `/admin/${name}/${encodeURIComponent(id)}/rollback/${ts}`,
    fields: [...fields, { name: 'undo', value: 'true' }],
  }
}
