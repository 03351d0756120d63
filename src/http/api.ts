import type { onRequestHookHandler } from 'fastify'
import type { Ledger } from '#core/ledger.ts'
import { type DirectSends, directSends } from './answers/answers.ts'
import { type Bearers, bearer, type Counter, type Renew, renewal } from './guarding/bearer.ts'
import { bothOf, open } from './guarding/guards.ts'
import { Idempotency } from './guarding/idempotency.ts'
import type { Throttles } from './guarding/throttles.ts'
import type { UploadTimeouts } from './requests/upload-timeouts.ts'

/** Shared by all routes of the API: a token's requests are counted, and its retries recognized, across all of them. */
export interface ApiDeps extends DirectSends {
  readonly idempotency: Idempotency
  readonly bearer: onRequestHookHandler
  /** As `bearer`, for routes that do not answer in JSON alone: they look at `Accept` themselves. */
  readonly bearerOfAny: onRequestHookHandler
  /** For reads that need no token: counted by address. */
  readonly open: onRequestHookHandler
  /** For searches, which are counted by themselves as well. */
  readonly searching: { readonly bearer: onRequestHookHandler }
  /**
   * For signing in: requests without a token are counted by address, by a throttle of their own; those with one as everywhere.
   */
  readonly signing: { readonly open: onRequestHookHandler; readonly bearer: onRequestHookHandler }
  /** For files: uploads are counted by themselves as well, and may take as long as bytes come. */
  readonly uploading: {
    readonly bearer: onRequestHookHandler
    readonly timeouts: UploadTimeouts
    /** To be asked once a file has come: by then its sender may be another than at the beginning. */
    readonly renew: Renew
    /** The counter of uploads alone, for who sends them by other ways. */
    readonly counter: Counter | undefined
  }
}

/** The dependencies of guards and answers of the API. */
export interface GuardDeps {
  /** Finds the callers. */
  readonly bearers: Bearers
  readonly throttles: Throttles
  readonly ledger: Ledger
  readonly draining: { readonly begun: boolean }
  readonly uploads: UploadTimeouts
}

/** Makes the guards and answers of the API of one server. */
export function apiDeps({ bearers, throttles, ledger, draining, uploads }: GuardDeps): ApiDeps {
  const { api, search, auth, uploads: files } = throttles
  return {
    idempotency: new Idempotency(ledger),
    bearer: bearer(bearers, api),
    bearerOfAny: bearer(bearers, api, () => true),
    ...directSends(draining),
    open: open(api),
    searching: { bearer: bearer(bearers, bothOf(api, search)) },
    signing: { open: open(auth), bearer: bearer(bearers, api) },
    uploading: { bearer: bearer(bearers, bothOf(api, files)), timeouts: uploads, renew: renewal(bearers), counter: files },
  }
}
