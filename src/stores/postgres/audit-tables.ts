/** The audit log: see `core/audit-log.ts`. */
interface AuditTable {
  id: string
  /** Milliseconds since 1970. */
  at: number
  actor: string | null
  action: string
  outcome: string
  kind: string | null
  type: string | null
  target: string | null
  request: string | null
  /** JSON of the entry. */
  entry: string
}

/** The origins of requests that entries are of. */
interface AuditRequestTable {
  request: string
  /** Milliseconds since 1970. */
  at: number
  via: string | null
  ip: string | null
}

/** The tables of the audit log. */
export interface AuditTables {
  audit: AuditTable
  audit_requests: AuditRequestTable
}
