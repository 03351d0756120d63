import type { FastifyRequest } from 'fastify'
import type { MediaLookup } from '#core/media/media-values.ts'
import type { WriteCheck } from '#core/writes.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import { type OfRecords, RecordResources } from './panel/resources.ts'
import { type Deps, recordParts } from './parts.ts'
import { Records } from './records.ts'

/** Makes the records of a site; `parts` is what their revisions share with them, and `others` what the panel shows of them beside. */
export function makeRecords(
  { store, types, clock, search, config }: FeatureDeps,
  media?: () => MediaLookup | undefined,
  others: OfRecords = {},
  check?: WriteCheck,
) {
  const { site, features } = config
  const index = features.search ? { index: search, locale: site.locale } : undefined
  const parts = recordParts({ store, types, clock, url: site.url, search: index, media, check })
  const records = new Records(parts)
  return {
    offers: records,
    parts,
    resources: new RecordResources(records, { ...parts, ...others }),
    routes: async (app, { api }) => {
      const { bearer, send, searching, idempotency } = api
      const { recordRoutes } = await import('./routes.ts')
      await recordRoutes(app, {
        ...{ records, idempotency, send, revisions: features.revisions },
        // A list with `q` is a search, and counted as one.
        bearer(request, reply, done) {
          return (isSearch(request) ? searching.bearer : bearer).call(this, request, reply, done)
        },
      })
    },
  } satisfies Feature & { readonly parts: Deps }
}

function isSearch({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'q' in query
}
