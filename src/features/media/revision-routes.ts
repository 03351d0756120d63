import type { FastifyInstance } from 'fastify'
import { type RevisionRoutesDeps, type RevisionRoutesOf, thingRevisionRoutes } from '#http/past/revision-routes.ts'
import type { Media } from './media.ts'
import * as shape from './schema.ts'

/** The dependencies of the routes of media as they were. */
export interface MediaRevisionRoutes extends RevisionRoutesDeps {
  readonly media: Media
}

const words = {
  list: { operationId: 'listMediaRevisions', summary: 'Lists what was said of a media file, newest first' },
  get: {
    operationId: 'getMediaRevision',
    summary: 'Gives what was said of a media file in a revision',
    description: 'used_by is empty: what used it then is not known.',
  },
  compare: { operationId: 'compareMediaRevisions', summary: 'Tells what a revision of a media file changed' },
  rollBack: {
    operationId: 'rollBackMedia',
    summary: 'Makes a media file what it was',
    description:
      'That is a revision of its own: nothing of the past is lost. A file that was removed comes back. 409 where the bytes that it had then are not kept any more.',
  },
} as const

/** `/api/media/{id}/revisions…` and `…/rollback/{ts}`, behind the guard of media. */
export function mediaRevisionRoutes(app: FastifyInstance, { media, ...deps }: MediaRevisionRoutes): void {
  const of: RevisionRoutesOf = {
    ...{ base: '/api/media/:id', param: 'id', heading: 'Media', words },
    shapes: { params: shape.params, thing: shape.media },
    past: media.past,
    rollback: media.rollback.bind(media),
  }
  thingRevisionRoutes(app, of, deps)
}
