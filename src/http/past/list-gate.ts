import type { Access } from '#core/access/access.ts'
import { Forbidden, Unavailable } from '#lib/errors.ts'

/** A gate before lists of the past of one kind of things. They read much of the history, so that one is made at a time. */
export class PastListGate {
  readonly #what: string
  #isBusy = false

  /** `what` is the kind of things, in the plural. */
  constructor(what: string) {
    this.#what = what
  }

  /** As `run`, for who may read drafts; throws Forbidden for others. */
  async runFor<T>(access: Access, work: () => Promise<T>): Promise<T> {
    if (!access.may('content:drafts')) throw new Forbidden('This needs the right content:drafts.')
    return this.run(work)
  }

  /** Makes a list by `work`; throws Unavailable while another one is being made. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) throw new Unavailable(`Another list of past ${this.#what} is being made; they are made one at a time.`)
    this.#isBusy = true
    try {
      return await work()
    } finally {
      this.#isBusy = false
    }
  }
}
