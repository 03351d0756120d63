import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { Jobs } from '#core/jobs/jobs.ts'
import type { Compose, Message } from '#core/mail.ts'
import { Outbox, type OutboxDeps } from '#mail/outbox.ts'
import { SmtpTransport } from '#mail/smtp.ts'
import { MailTemplates } from '#mail/templates.ts'
import { FilesJobs } from '#stores/files/jobs/jobs.ts'
import { Database } from '#stores/postgres/database.ts'
import { PostgresJobs } from '#stores/postgres/jobs.ts'
import { TestClock } from '#support/clock.ts'
import { MemoryJobs, MemoryQueue } from '#support/memory-jobs.ts'
import { testDatabase } from '#support/postgres.ts'
import { makeSite } from '#support/sites.ts'

/** The folder of Quire's own templates of messages. */
export const TEMPLATES: string = fileURLToPath(new URL('../../templates/mail/', import.meta.url))

/** A place in which jobs are kept, to be opened any number of times; `at` is the location for a separate process. */
export interface Kept {
  open(clock: TestClock): Promise<Jobs>
  readonly at: { readonly folder: string } | { readonly url: string } | undefined
}

async function onFiles(t: Test): Promise<Kept> {
  const site = makeSite()
  t.teardown(site.remove)
  const folder = site.path('.cms/jobs')
  return { open: async (clock) => new FilesJobs(folder, clock, { pause: 3 }), at: { folder } }
}

async function onPostgres(t: Test): Promise<Kept> {
  const url = await testDatabase(t)
  const open = async (clock: TestClock) => {
    const database = await Database.open(url)
    t.teardown(() => database.close())
    return new PostgresJobs(database, clock, 3)
  }
  return { open, at: { url } }
}

async function inMemory(): Promise<Kept> {
  const queue = new MemoryQueue()
  return { open: async (clock) => new MemoryJobs(queue, clock, 3), at: undefined }
}

/** An outbox of a test, what it wrote about, what it said, and how it ends. */
export interface Posting {
  readonly outbox: Outbox
  readonly composed: Message[]
  readonly said: string[]
  /** Sends messages from now on, two at once. */
  run(): void
  end(): Promise<void>
}

/** Opens an outbox that writes codes, on these jobs; `parts` go before what is usual. */
export function posting(
  t: Test,
  jobs: Jobs,
  clock: TestClock,
  parts: Partial<OutboxDeps> & Pick<OutboxDeps, 'transport'>,
  compose: Compose<'code'> = async () => ({
    name: 'Ada',
    values: { code: '123456', minutes: 10 },
    shown: '123456',
  }),
): Posting {
  const [composed, said]: [Message[], string[]] = [[], []]
  const outbox = new Outbox({
    jobs: () => jobs,
    templates: new MailTemplates(TEMPLATES),
    from: { name: 'Quire', address: 'quire@example.org' },
    site: { name: 'My site', url: 'https://example.org' },
    log: (message) => said.push(message),
    clock,
    ...parts,
  })
  outbox.composes({
    code: (message) => {
      composed.push(message)
      return compose(message)
    },
  })
  const run = () => {
    for (const workers of [outbox.workers, outbox.workers]) jobs.run(workers)
  }
  const end = () => jobs.close()
  t.teardown(end)
  return { outbox, composed, said, run, end }
}

/** An SMTP transport to a port of loopback that is soon out of patience. */
export function smtpTo(port: number, more: Partial<ConstructorParameters<typeof SmtpTransport>[0]> = {}): SmtpTransport {
  const patience = { connection: 2000, silence: 2000, whole: 4000 }
  return new SmtpTransport({ host: '127.0.0.1', port, secure: false, ...more }, 'example.org', patience)
}

/** Runs `body` as a subtest wherever jobs are kept. */
export function wherever(name: string, body: (t: Test, kept: Kept, clock: TestClock) => Promise<void>): void {
  t.test(name, async (t) => {
    for (const [store, keep] of Object.entries({ files: onFiles, postgres: onPostgres, memory: inMemory })) {
      await t.test(store, async (t) => body(t, await keep(t), new TestClock()))
    }
  })
}

/** A message with a code. */
export const codeFor = (to: string, until?: number): Message => ({ template: 'code', to, data: {}, ...(until && { until }) })
