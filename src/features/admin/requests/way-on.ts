import type { FastifyRequest } from 'fastify'
import { NotFound, Unreadable } from '#lib/errors.ts'
import type { Resource } from '../../resource.ts'
import { listsDeleted } from '../resources/list-pages.ts'
import { type Panel, signedIn } from './panel.ts'

/** Most things close to one that is not there that are named. */
const MOST_NEAR = 3

/** The words and links of the page of an error, where it is of a list or of one thing of it. */
export interface WayOn {
  readonly heading?: string
  readonly sentences?: readonly string[]
  readonly code?: string
  readonly near: readonly object[]
  readonly buttons: readonly object[]
}

interface Params {
  readonly type?: string
  readonly resource?: string
  readonly id?: string
  readonly ts?: string
}

/** Resolves with the way on from an error at an address of a resource that the reader sees; undefined for others. */
export async function wayOn(panel: Panel, error: unknown, request: FastifyRequest): Promise<WayOn | undefined> {
  if (!request.signed || !(error instanceof NotFound || error instanceof Unreadable)) return undefined
  const { type, resource: name = '', id, ts } = request.params as Params
  const { access } = signedIn(request)
  const resource = await panel.resourceOf(access, type === undefined ? name : `content/${type}`)
  if (!resource) return undefined
  const url = `/admin/${resource.name}`
  const buttons = [
    { label: `All ${resource.label.toLowerCase()}`, url, tone: 'primary' },
    ...((await listsDeleted(resource, access))
      ? [{ label: `Deleted ${resource.label.toLowerCase()}`, url: `${url}?deleted=true` }]
      : []),
    { label: 'Dashboard', url: '/admin', tone: 'quiet' },
  ]
  if (error instanceof Unreadable)
    return {
      heading: 'This file can’t be read',
      sentences: [error.message, ...(error.hint === undefined ? [] : [error.hint]), 'Everything else is served as ever.'],
      near: [],
      buttons,
    }
  if (id === undefined || ts !== undefined || request.method !== 'GET') return { near: [], buttons }
  return {
    sentences: [`There is no ${resource.singular} with the id`, 'It may have been moved or deleted, or you may not see it.'],
    code: id,
    near: await nearTo(resource, id, request),
    buttons,
  }
}

/** Things with the longest word of an id in their titles. */
async function nearTo(resource: Resource, id: string, request: FastifyRequest): Promise<object[]> {
  const words = id.match(/[\p{L}\p{N}]{3,60}/gu) ?? []
  const [q] = words.toSorted((one, other) => other.length - one.length)
  if (q === undefined || !resource.offers) return []
  const { offered } = await resource.offers(signedIn(request).access, { most: MOST_NEAR, q })
  return offered.map(({ value, label }) => ({ label, url: `/admin/${resource.name}/${encodeURIComponent(value)}/edit` }))
}
