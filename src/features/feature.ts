import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Backend } from '#core/backend.ts'
import type { Workers } from '#core/jobs/jobs.ts'
import type { Changed, Cursor } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { ApiDeps } from '#http/api.ts'
import type { ErrorLog } from '#http/errors/log.ts'
import type { Operations } from '#http/openapi/operations.ts'
import type { Clock } from '#lib/clock.ts'
import type { Resources } from './resource.ts'

/** The part of the configuration that every feature may read. */
export interface FeatureConfig {
  readonly site: Readonly<Record<'name' | 'url' | 'locale' | 'timezone' | 'content' | 'templates', string>>
  /** Switches of which features ask whether others are on. */
  readonly features: Readonly<Record<'api' | 'revisions' | 'search' | 'sitemap' | 'taxonomy', boolean>>
}

/** The dependencies that every feature may have. */
export interface FeatureDeps
  extends Pick<Backend, 'store' | 'blobs' | 'siteFiles' | 'ledger' | 'search' | 'jobs' | 'audit' | 'isShared'> {
  readonly config: FeatureConfig
  /** The site's root folder, absolute. */
  readonly root: string
  /** The private folder, absolute. */
  readonly privateDir: string
  /** The folder of Quire's own templates, absolute. */
  readonly templates: string
  readonly types: ContentTypes
  readonly clock: Clock
}

/** The dependencies of routes: a server's, beside what their feature has. */
export interface RouteDeps {
  /** Guards and answers that all routes of the API share. */
  readonly api: ApiDeps
  /** The operations that all routes declare. */
  readonly operations: Operations
  readonly log: ErrorLog
  /** True where only the machine itself can reach the server: then its pages may tell what is broken. */
  readonly isLocal: boolean
  /** Of Quire. */
  readonly version: string
  /** Has the server go on with the site as it is now, in place; absent where nothing can. */
  readonly renew?: (() => void) | undefined
}

/**
 * A capability, made for one site. To make it takes no time: what it needs to do something it loads or opens then. In a server
 * its life is `routes`, `begin`, `follow` and jobs, `close`; elsewhere it is `close` alone.
 */
export interface Feature {
  /** The object that commands and other features work with. */
  readonly offers?: unknown
  /** The things of it that the panel shows. */
  readonly resources?: Resources
  /** Workers by the names of its jobs. */
  readonly jobs?: Workers
  /**
   * Takes a change of the store, for side effects: each at least once and in their order, on one node at a time, those while no
   * server ran first. See `ChangeDelivery`.
   */
  follow?(change: Changed): Promise<void>
  /**
   * Takes a part of the feed between two cursors, in the place of `follow`: what it made of a part it may be asked for again,
   * with more changes at the end.
   */
  followParts?(changes: readonly Changed[], after: Cursor, next: Cursor): Promise<void>
  /** Hears that changes were lost: the store does not know any more what came after the last one that was taken. */
  lost?(): Promise<void>
  /** Declares its routes, in a scope of their own. */
  routes?(app: FastifyInstance, deps: RouteDeps): void | Promise<void>
  /** Hears of each request that is about to be answered; the answer is sent when what it returns resolves, and an error where it rejects. */
  answering?(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined
  /** Hears of each request that was answered, once the answer is sent. It must not throw, nor take long. */
  answered?(request: FastifyRequest, reply: FastifyReply): void
  /** Begins what it does by itself in a server that listens. */
  begin?(): void | Promise<void>
  /** Ends what it does, and gives back what it opened. */
  close?(): void | Promise<void>
}
