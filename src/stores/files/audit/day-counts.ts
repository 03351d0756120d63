import { stat } from 'node:fs/promises'
import type { AuditFilter } from '#core/audit-log.ts'
import { Cache } from '#lib/cache.ts'

/** Most counts that are kept: those of some years, without conditions and with a few. */
const MOST = 5_000

/** The number of entries of days by conditions, so that the pages of a list need not read all days. A day only grows. */
export class DayCounts {
  readonly #counts = new Cache<{ readonly count: number }>({ most: MOST })
  readonly #types = new Cache<ReadonlySet<string>>({ most: MOST })

  /** Resolves with the number of entries that fulfil the conditions; undefined where it is not known of the file as it is now. */
  async of(path: string, filter: AuditFilter): Promise<number | undefined> {
    const { size } = await stat(path).catch(() => ({ size: 0 }))
    return this.#counts.get(nameOf(path, filter), size)?.count
  }

  /** Keeps the number of entries in a file of this size. */
  set(path: string, filter: AuditFilter, { size, count }: { readonly size: number; readonly count: number }): void {
    this.#counts.set(nameOf(path, filter), { count }, size)
  }

  /** The content types of a day. */
  typesOf(path: string, size: number): ReadonlySet<string> | undefined {
    return this.#types.get(path, size)
  }

  setTypes(path: string, size: number, types: ReadonlySet<string>): void {
    this.#types.set(path, types, size)
  }
}

function nameOf(path: string, filter: AuditFilter): string {
  return `${path}\n${JSON.stringify(filter)}`
}
