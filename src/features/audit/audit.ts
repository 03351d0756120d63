import type { Access } from '#core/access/access.ts'
import { type AuditEntry, type AuditFilter, type AuditLog, OUTCOMES, type Outcome } from '#core/audit-log.ts'
import { type ListMeta, metaOf, type Paging } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { type FieldErrors, Forbidden, InvalidInput } from '#lib/errors.ts'

/** RFC 3339, §5.6; or a day. */
const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))?$/i
/** Most characters of what entries are found by. */
const LONGEST = 200

/** The conditions that a caller asks for. */
export type Asked = Omit<AuditFilter, 'without'>

/** The audit log for one caller at a time. */
export class Audit {
  readonly #log: AuditLog
  readonly #upToDate: () => Promise<void>

  /** `upToDate` resolves when all that was kept before the call is in the log. */
  constructor({ log, upToDate }: { readonly log: AuditLog; readonly upToDate: () => Promise<void> }) {
    this.#log = log
    this.#upToDate = upToDate
  }

  /** A part of the entries that the caller may know of, the newest first. Throws Forbidden where they may know of none. */
  async list(access: Access, asked: Asked, paging: Paging): Promise<{ data: AuditEntry[]; meta: ListMeta }> {
    const filter = await this.#filterFor(access, asked)
    const part = { offset: (paging.page - 1) * paging.perPage, limit: paging.perPage }
    const { items, total } = await this.#log.page(filter, part)
    return { data: items.map((entry) => shownTo(access, entry)), meta: metaOf(total, paging) }
  }

  /** All entries that the caller may know of, the newest first. Rejects with Forbidden before any. */
  async all(access: Access, asked: Asked): Promise<AsyncIterable<AuditEntry>> {
    const filter = await this.#filterFor(access, asked)
    const log = this.#log
    return (async function* () {
      for await (const entry of log.all(filter)) yield shownTo(access, entry)
    })()
  }

  async #filterFor(access: Access, asked: Asked): Promise<AuditFilter> {
    if (!access.may('audit:read')) throw new Forbidden('This needs the right audit:read.')
    await this.#upToDate()
    const types = (await this.#log.types()).filter((type) => !access.sees(type))
    const kinds = [
      ...(access.may('teams:write') ? [] : ['team']),
      ...(access.may('billing:write') ? [] : ['subscription', 'invoice']),
    ]
    return { ...asked, without: { kinds, types } }
  }
}

/** Returns the conditions in the parameters of a request. Throws InvalidInput, naming all that is wrong with them. */
export function askedIn({ actor, action, target, outcome, since, until }: QueryParams): Asked {
  const errors: FieldErrors = {}
  const [of, ...id] = target === undefined ? [] : target.split('/')
  const asked = {
    ...{ actor: wordIn('actor', actor, errors), action: wordIn('action', action, errors) },
    target: wordIn('target', target, errors) && of ? { of, id: id.length === 0 ? undefined : id.join('/') } : undefined,
    outcome: outcomeIn(outcome, errors),
    ...{ since: instantIn('since', since, errors), until: instantIn('until', until, errors) },
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return asked
}

/** Leaves out the title of a record for who may not read drafts: it may be that of one. */
function shownTo(access: Access, entry: AuditEntry): AuditEntry {
  const { target } = entry
  if (target?.kind !== 'record' || target.title === null || access.may('content:drafts', target.type)) return entry
  return { ...entry, target: { ...target, title: null } }
}

function wordIn(name: string, text: string | undefined, errors: FieldErrors): string | undefined {
  if (text === undefined || text === '') return undefined
  if (text.length > LONGEST) errors[name] = [`The ${name} has at most ${LONGEST} characters.`]
  return text
}

function outcomeIn(text: string | undefined, errors: FieldErrors): Outcome | undefined {
  if (text === undefined || text === '') return undefined
  const found = OUTCOMES.find((one) => one === text)
  if (!found) errors.outcome = [`The outcome is one of ${OUTCOMES.join(', ')}.`]
  return found
}

function instantIn(name: string, text: string | undefined, errors: FieldErrors): number | undefined {
  if (text === undefined || text === '') return undefined
  const time = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  errors[name] = [`The ${name} must be a time such as 2026-11-28T10:00:00Z, or a day such as 2026-11-28 (UTC).`]
  return undefined
}
