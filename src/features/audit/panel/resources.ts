import type { Access } from '#core/access/access.ts'
import type { AuditEntry } from '#core/audit-log.ts'
import type { Field } from '#core/types/content-type.ts'
import { pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { NotFound } from '#lib/errors.ts'
import type { Resource, Resources, Row, Rows } from '../../resource.ts'
import { type Audit, askedIn } from '../audit.ts'

/** The audit log in the panel: a list that is read, for who has audit:read. */
export class AuditResource implements Resource, Resources {
  readonly name = 'audit'
  readonly label = 'Audit log'
  readonly singular = 'entry'
  readonly group = 'run'
  readonly icon = 'audit'
  readonly layout = 'form'
  readonly columns = ['action', 'target', 'actor', 'at']
  readonly sorts = []
  readonly #audit: Audit

  constructor(audit: Audit) {
    this.#audit = audit
  }

  async seen(access: Access): Promise<Resource[]> {
    return this.sees(access) ? [this] : []
  }

  named(name: string): Resource | undefined {
    return name === this.name ? this : undefined
  }

  sees(access: Access): boolean {
    return access.may('audit:read')
  }

  fields(): readonly Field[] {
    return []
  }

  mayCreate(): boolean {
    return false
  }

  mayUpdate(): boolean {
    return false
  }

  async list(access: Access, params: QueryParams): Promise<Rows> {
    const paging = pagingOf(params)
    const { data, meta } = await this.#audit.list(access, askedIn(params), paging)
    return { rows: data.map(rowOf), total: meta.total, page: paging.page, perPage: paging.perPage }
  }

  async get(): Promise<Row> {
    throw new NotFound('An entry has no page of its own.')
  }
}

function rowOf(entry: AuditEntry): Row {
  const { id, at, actor, via, action, target, outcome, changed, request_id, ip, count = 1 } = entry
  const about = target ? { ...target } : null
  const values = { at, actor: { ...actor }, via, action, target: about, outcome, changed: changed ? [...changed] : null }
  return { id, title: action, values: { ...values, request_id, ip, count } }
}
