import type { Access } from '#core/access/access.ts'
import type { AuditEntry, AuditTarget } from '#core/audit-log.ts'
import type { Author } from '#core/document.ts'
import type { ListMeta } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'

/** The forms that the log is exported in. */
export type ExportForm = 'csv' | 'ndjson'

/** The file of an export. */
export interface ExportFile {
  readonly type: string
  readonly name: string
  readonly text: AsyncIterable<string>
}

/** The audit log as the panel works with it. Each method calls what the API's route calls, and throws what that throws. */
export interface AuditDesk {
  /** A part of it; `params` are those of the API. */
  list(access: Access, params: QueryParams): Promise<{ readonly data: readonly AuditEntry[]; readonly meta: ListMeta }>
  /** All that the parameters name, as a file; that it was asked for, and by whom, is an entry itself. */
  exported(access: Access, params: QueryParams, form: ExportForm, by: Author): Promise<ExportFile>
  /** Keeps what was done that no store tells of. */
  noted(by: Author, action: string, target: AuditTarget): Promise<void>
}
