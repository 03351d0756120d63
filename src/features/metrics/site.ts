import type { WaitingJobs } from '#core/jobs/jobs.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { FeatureDeps } from '../feature.ts'
import type { Metric } from './exposition.ts'
import { single } from './process.ts'

/** Name of the jobs that are messages: they are the outbox. */
const MAIL = 'mail'

/** The dependencies of the metrics of a site. */
export type SiteMetricsDeps = Pick<FeatureDeps, 'store' | 'jobs' | 'search' | 'clock'> & {
  readonly config: { readonly features: { readonly search: boolean } }
}

/** Reads the metrics of a site's store, queues and index. What can't be read now is left out, and `quire_store_up` is 0. */
export async function siteMetrics({ store, jobs, search, clock, config }: SiteMetricsDeps): Promise<Metric[]> {
  const absent = () => undefined
  const [health, waiting, bytes] = await Promise.all([
    store.health().catch(absent),
    jobs().waiting().catch(absent),
    config.features.search ? search().bytes().catch(absent) : undefined,
  ])
  const details = health?.ok ? health.details : {}
  const writes = fieldsOf(details.writes)
  return [
    single('quire_store_up', 'gauge', '1 where the store can be reached.', health?.ok && waiting ? 1 : 0),
    single('quire_documents', 'gauge', 'Documents of all kinds.', numberOf(details.documents)),
    single('quire_unreadable_documents', 'gauge', 'Documents that can not be read.', numberOf(details.unreadable)),
    single(
      'quire_writes_total',
      'counter',
      'Writes that this process committed, or refused as they came up.',
      numberOf(writes.items),
    ),
    single('quire_commit_groups_total', 'counter', 'Groups in which they were committed.', numberOf(writes.groups)),
    single('quire_search_index_bytes', 'gauge', 'Size of the search index.', bytes),
    ...(waiting ? queues(waiting, clock.now()) : []),
  ]
}

function queues(waiting: readonly WaitingJobs[], now: number): Metric[] {
  const mail = waiting.find(({ name }) => name === MAIL)
  const samples = waiting.map(({ name, count }) => ({ labels: { job: name }, value: count }))
  const age = mail ? Math.max(0, (now - mail.oldest) / 1000) : 0
  return [
    { name: 'quire_jobs_waiting', type: 'gauge', help: 'Jobs that are not done yet, by name.', samples },
    single('quire_outbox_messages', 'gauge', 'Messages that are not sent yet.', mail?.count ?? 0),
    single('quire_outbox_oldest_seconds', 'gauge', 'Age of the oldest of them; 0 where there is none.', age),
  ]
}

function fieldsOf(value: Json | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}
