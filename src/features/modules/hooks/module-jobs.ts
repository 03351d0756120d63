import { createHash } from 'node:crypto'
import type { Jobs, Workers } from '#core/jobs/jobs.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Clock } from '#lib/clock.ts'
import { parseDuration } from '#lib/duration.ts'
import type { Json } from '#lib/json.ts'
import { factName } from '../context/module-store.ts'
import type { ModuleHost } from '../host.ts'
import { type ModuleLog, wordsOf } from '../module-log.ts'
import type { LoadedModule } from '../module-set.ts'

/** Characters of a module's name in that of its jobs. */
const SHORT = 20
/** Milliseconds between two looks at what the clock brings. */
const LOOK_MS = 1000
/** The shortest time between two runs of a job, in milliseconds. */
const LEAST_MS = 1000
const LONGEST_JOB = 256 * 1024

/** The name in the queue of a job of a module: a job's name is short, and no two have one. */
export function jobName(module: string, name: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([module, name]))
    .digest('hex')
    .slice(0, 12)
  return `m-${module.slice(0, SHORT).replace(/-+$/, '')}-${digest}`
}

/** Returns the workers of all jobs of modules. A failure is logged once for each reason, until the job succeeds. */
export function moduleWorkers(host: ModuleHost, log: ModuleLog): Workers {
  const named = host.all().flatMap(({ module, context, isOn }) =>
    Object.entries(module.definition.jobs ?? {}).map(([name, job]) => {
      let told: string | undefined
      const failed = (error: unknown) => {
        const words = wordsOf(error)
        if (words === told) return
        told = words
        log({ level: 'warn', module: module.name, message: `The job "${name}" failed, and is tried again: ${words}`, error })
      }
      const worker: Workers[string] = {
        work: async ({ data }, signal) => {
          if (!isOn()) throw new Error(`The module "${module.name}" is off.`)
          try {
            await job.run(data, context, signal)
            told = undefined
          } catch (error) {
            if (!signal.aborted) failed(error)
            throw error
          }
        },
        gaveUp: (_, error) => {
          const message = `The job "${name}" is given up: ${wordsOf(error)}`
          log({ level: 'error', module: module.name, message, error })
        },
      }
      return [jobName(module.name, name), worker] as const
    }),
  )
  return Object.fromEntries(named)
}

/** Adds a job of a module. Throws where it declares none of that name. */
export async function addModuleJob(
  jobs: () => Jobs,
  { name: module, definition }: LoadedModule,
  name: string,
  data: Json,
  at?: number,
) {
  if (!Object.hasOwn(definition.jobs ?? {}, name)) throw new Error(`The module "${module}" declares no job "${name}".`)
  const text = JSON.stringify(data ?? null)
  if (text.length > LONGEST_JOB) throw new Error('The data of a job are at most 256 KiB.')
  await jobs().add({ name: jobName(module, name), data: JSON.parse(text) as Json }, at)
}

/** The dependencies of the clock of modules. */
export interface ModuleClockDeps {
  readonly host: ModuleHost
  readonly ledger: Ledger
  readonly clock: Clock
  readonly jobs: () => Jobs
  readonly log: ModuleLog
}

/** Adds the jobs that are done every so often: each once for all nodes. */
export class ModuleClock {
  readonly #deps: ModuleClockDeps
  readonly #last = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(deps: ModuleClockDeps) {
    this.#deps = deps
  }

  begin(): void {
    if (!this.#deps.host.all().some(({ module }) => periodic(module).length > 0)) return
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
    this.#look()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  /** Adds what is due by now. */
  async tick(): Promise<void> {
    const { host, clock } = this.#deps
    for (const { module, granted } of host.on())
      for (const { name, every } of periodic(module)) {
        if (!granted.has('jobs')) continue
        const slot = Math.floor(clock.now() / every)
        const job = jobName(module.name, name)
        if (this.#last.get(job) === slot) continue
        await this.#add(module, name, slot, every)
        this.#last.set(job, slot)
      }
  }

  /** Of several nodes the first that counts a slot adds its job. */
  async #add(module: LoadedModule, name: string, slot: number, every: number): Promise<void> {
    const { ledger, jobs } = this.#deps
    const fact = factName(module.name, 'every', `${name}/${slot}`)
    if ((await ledger.add(fact, 1, 2 * every + LOOK_MS)) === 1) await addModuleJob(jobs, module, name, null)
  }

  #look(): void {
    this.#running ??= this.tick()
      // A store that is away is asked again.
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined
      })
  }
}

function periodic({ definition }: LoadedModule): { readonly name: string; readonly every: number }[] {
  return Object.entries(definition.jobs ?? {}).flatMap(([name, { every }]) => {
    const ms = every === undefined ? undefined : parseDuration(every)
    return ms === undefined ? [] : [{ name, every: Math.max(LEAST_MS, ms) }]
  })
}
