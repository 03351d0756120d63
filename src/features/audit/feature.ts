import type { FastifyRequest } from 'fastify'
import { type AuditTarget, entryOfDeed } from '#core/audit-log.ts'
import type { Author } from '#core/document.ts'
import { authorIn } from '#http/requests/acting.ts'
import { pagingOf } from '#http/requests/paging.ts'
import { CatchUp } from '#lib/concurrency/catch-up.ts'
import type { AuditDesk } from '../audit-desk.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import { Audit, askedIn } from './audit.ts'
import { contentEntries } from './content-entries.ts'
import { FORMS } from './csv.ts'
import { actorBy } from './entries.ts'
import { lostEntries } from './lost-entries.ts'
import { Origins } from './origins.ts'
import { AuditResource } from './panel/resources.ts'
import { takeNew } from './private-changes.ts'
import { type RequestDeps, RequestEntries } from './requests.ts'

const DAY_MS = 86_400_000
/** Milliseconds between two looks for what is too old, and after the start until the first. */
const EVERY_MS = 3_600_000
const FIRST_MS = 10_000
/** Milliseconds between a private change and the look for its entries: they come in crowds. */
const PAUSE_MS = 250

/** The log itself, as what was exported. */
const LOG: AuditTarget = { kind: 'audit', type: 'audit', id: null, title: null }

/** The dependencies of the audit log. */
export interface AuditFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & { readonly audit: { readonly days: number } }
}

/** Makes the audit log of a site: of the feed of its store, of private changes and of requests. */
export function makeAudit({ config, store, types, clock, ...deps }: AuditFeatureDeps, userOf: RequestDeps['userOf']) {
  const log = deps.audit()
  const origins = new Origins(log)
  const requests = new RequestEntries({ log, clock, origins, userOf })
  const taking = new CatchUp(() => takeNew(store, log), PAUSE_MS)
  const audit = new Audit({ log, upToDate: () => taking.run() })
  let unsubscribe = () => {}
  let timer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> | undefined
  const sweep = () => log.sweep(clock.now() - config.audit.days * DAY_MS)
  const look = () => {
    sweeping ??= sweep()
      // A log that is away is asked again.
      .catch(() => undefined)
      .finally(() => {
        sweeping = undefined
      })
  }
  const noted: AuditDesk['noted'] = (by, action, target) =>
    log.append([entryOfDeed({ actor: actorBy(by), action, target }, clock.now(), by.request)])
  /** Notes that something was exported; without a request, by somebody at the machine. */
  const exported = (by: Author, target: AuditTarget) => noted(by, 'export.made', target)
  const desk: AuditDesk = {
    noted,
    list: (access, params) => audit.list(access, askedIn(params), pagingOf(params)),
    exported: async (access, params, form, by) => {
      const entries = await audit.all(access, askedIn(params))
      await exported(by, LOG)
      const { type, ending, textOf } = FORMS[form]
      return { type, name: `audit.${ending}`, text: textOf(entries) }
    },
  }
  const feature = {
    offers: { audit, exported, take: () => takeNew(store, log), sweep },
    resources: new AuditResource(audit),
    routes: async (app, { api }) => {
      const { auditRoutes } = await import('./routes.ts')
      const noted = (request: FastifyRequest) => exported(authorIn(request), LOG)
      app.register(async (scope) => auditRoutes(scope, { audit, bearer: api.bearerOfAny, exported: noted }))
    },
    answering: (request, reply) =>
      requests.before(request, reply)?.catch((error: unknown) => {
        // Nobody is signed in who is not in the log.
        reply.removeHeader('set-cookie')
        throw error
      }),
    answered: (request, reply) => requests.after(request, reply),
    followParts: async (changes, after) => {
      const entries = await contentEntries(changes, after, { store, types, clock, originOf: (request) => origins.of(request) })
      await log.append(entries)
      origins.kept(entries.flatMap(({ request_id }) => request_id ?? []))
    },
    lost: async () => log.append(await lostEntries({ store, types, log })),
    begin: () => {
      unsubscribe = store.subscribe(() => taking.soon())
      taking.soon()
      timer = setTimeout(() => {
        look()
        timer = setInterval(look, EVERY_MS).unref()
      }, FIRST_MS).unref()
    },
    close: async () => {
      clearTimeout(timer)
      clearInterval(timer)
      unsubscribe()
      await Promise.all([sweeping, taking.close(), requests.close(), origins.close()])
    },
  } satisfies Feature
  return { ...feature, desk }
}
