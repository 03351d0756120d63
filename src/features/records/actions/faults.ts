import { Slices } from '#lib/concurrency/slices.ts'
import { Failure, NoneDone } from '#lib/errors.ts'

/** The statuses of failures that are told by record; of several, the first counts. */
const ORDER = [404, 403, 409, 422]

/** One of several records, by its id. */
interface Named {
  readonly id: string
}

/** The failures of some of several records that are to be written as one. */
export class Faults {
  readonly #found = new Map<string, Failure>()
  readonly #total: number

  constructor(total: number) {
    this.#total = total
  }

  /**
   * Does `work` for each record, and returns the results of those for which it does not fail. A failure that is not about the
   * record is thrown at once.
   */
  async each<T extends Named, R>(records: readonly T[], work: (record: T) => Promise<R>): Promise<R[]> {
    const results: R[] = []
    const slices = new Slices()
    for (const record of records) {
      if (slices.isOver) await slices.pause()
      try {
        results.push(await work(record))
      } catch (error) {
        this.take(record.id, error)
      }
    }
    return results
  }

  /** Takes a failure of the record with this id; throws any other error. */
  take(id: string, error: unknown): void {
    if (!(error instanceof Failure) || !ORDER.includes(error.status)) throw error
    if (!this.#found.has(id)) this.#found.set(id, error)
  }

  /** Throws NoneDone if anything is wrong. */
  settle(): void {
    const [[id, first] = []] = [...this.#found].sort(([, a], [, b]) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
    if (id === undefined || !first) return
    const some = this.#total === 1 ? '' : `Nothing was changed: ${this.#found.size} of ${this.#total} records can't be. `
    const errors = Object.fromEntries([...this.#found].map(([id, failure]) => [id, messagesOf(failure)]))
    throw new NoneDone(first, `${some}"${id}": ${first.message}`, errors)
  }
}

function messagesOf(failure: Failure): string[] {
  const { errors } = failure as { readonly errors?: Readonly<Record<string, string[]>> }
  return errors ? [...new Set(Object.values(errors).flat())] : [failure.message]
}
