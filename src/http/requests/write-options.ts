import type { FastifyRequest } from 'fastify'
import type { Asked } from '#core/history/revision.ts'
import { entityTags, type Precondition } from '../answers/etag.ts'

/** Preconditions of a write, and where it comes from. */
export interface WriteOptions {
  /** The versions that it is for; see `mustMatch`. */
  readonly ifMatch?: Precondition | undefined
  readonly asked?: Asked | undefined
}

/** Returns what the headers of a request say about its write. `once` is the same for a request that is sent again. */
export function writeOptionsOf(request: FastifyRequest, once?: string): WriteOptions {
  return { ifMatch: entityTags(request.headers['if-match']), asked: askedBy(request, once) }
}

/** Returns the request as the history names it. */
export function askedBy({ id, url }: FastifyRequest, once: string | undefined): Asked {
  return { request: id, source: url.startsWith('/admin') ? 'panel' : 'api', ...(once !== undefined && { once }) }
}
