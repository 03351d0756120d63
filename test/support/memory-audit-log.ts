import {
  type AuditEntry,
  type AuditFilter,
  type AuditLog,
  byTime,
  isWithin,
  type RequestOrigin,
  withOrigin,
} from '#core/audit-log.ts'
import type { Page } from '#core/queries/query.ts'
import type { Part } from '#core/store.ts'

const DAY_MS = 86_400_000

/** An audit log in memory: the simplest one that keeps the promises. */
export class MemoryAuditLog implements AuditLog {
  #entries = new Map<string, AuditEntry>()
  #origins = new Map<string, RequestOrigin>()

  async append(entries: readonly AuditEntry[]): Promise<void> {
    for (const entry of entries) if (!this.#entries.has(entry.id)) this.#entries.set(entry.id, entry)
  }

  async note(origins: readonly RequestOrigin[]): Promise<void> {
    for (const origin of origins) this.#origins.set(origin.request, origin)
  }

  async page(filter: AuditFilter, { offset = 0, limit = Number.POSITIVE_INFINITY }: Part): Promise<Page<AuditEntry>> {
    const found = this.#found(filter)
    return { items: found.slice(offset, offset + limit), total: found.length }
  }

  async *all(filter: AuditFilter): AsyncGenerator<AuditEntry> {
    yield* this.#found(filter)
  }

  async types(): Promise<readonly string[]> {
    const records = this.#found({}).flatMap(({ target }) => (target?.kind === 'record' ? [target.type] : []))
    return [...new Set(records)].sort()
  }

  async sweep(before: number): Promise<void> {
    const day = Math.floor(before / DAY_MS) * DAY_MS
    const isKept = ({ at }: { readonly at: string }) => Date.parse(at) >= day
    this.#entries = new Map([...this.#entries].filter(([, entry]) => isKept(entry)))
    this.#origins = new Map([...this.#origins].filter(([, origin]) => isKept(origin)))
  }

  async close(): Promise<void> {}

  #found(filter: AuditFilter): AuditEntry[] {
    const entries = [...this.#entries.values()].filter((entry) => isWithin(entry, filter)).sort(byTime)
    return entries.map((entry) => withOrigin(entry, this.#origins.get(entry.request_id ?? '')))
  }
}
