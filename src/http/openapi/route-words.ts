import type { ErrorStatus } from './errors.ts'
import type { Heading } from './headings.ts'

/**
 * A rule that a route has in common with others. `etag`: its answer has an ETag that If-None-Match may name; `version`: it has
 * one, and is always whole; `if-match`: the request may name the version it is about; `idempotency-key`: it may be sent again;
 * `location`: its answer has the address of a resource; `by-id`: its errors say what is wrong with each of several things.
 */
export type Trait = 'etag' | 'version' | 'if-match' | 'idempotency-key' | 'location' | 'by-id'

declare module 'fastify' {
  /** The properties of a route for the API's description, besides the schemas of its input and output. */
  interface FastifySchema {
    /** A name of its own, the verb first: `listRecords`. Where a route has several methods, it is that of the first. */
    operationId?: string
    /** Short description of the operation, one line without a full stop. */
    summary?: string
    description?: string
    /** Under which heading it is found. */
    tags?: readonly Heading[]
    /** True for what is no part of the API. */
    hide?: boolean
    /** `[]` for a route that takes no token. */
    security?: readonly never[]
    /** The statuses of errors that do not follow from what it takes. */
    errors?: readonly ErrorStatus[]
    traits?: readonly Trait[]
  }
}
