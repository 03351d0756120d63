import { type AuditEntry, OUTCOMES } from '#core/audit-log.ts'
import type { ListMeta } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { avatarOf } from '../rendering/avatar.ts'
import { clockOf, dayOf } from '../rendering/days.ts'
import { momentOf, type Telling } from '../rendering/moments.ts'
import { addressWith } from '../resources/list-address.ts'
import { ACTIONS, thingOf, wordsOf } from './audit-words.ts'

/** The address of the audit log. */
export const AUDIT_URL = '/admin/audit'

/** The parameters that narrow the list. */
export const FILTERS = ['actor', 'action', 'target', 'outcome', 'since', 'until'] as const

const OUTCOME_TAGS = { refused: { text: 'Refused', tone: 'bad' }, failed: { text: 'Failed', tone: 'warn' } } as const

/** Places of what came from no address. */
const PLACES = {
  system: 'Quire itself',
  local: 'the machine itself, or git',
  user: 'not known',
  token: 'not known',
} as const

/** The part of the log that an address asks for. */
export interface AuditShown {
  readonly entries: readonly AuditEntry[]
  readonly meta: ListMeta
  /** Those of `FILTERS` that the address has. */
  readonly params: QueryParams
  readonly telling: Telling
}

/** Returns what the template `audit` shows. */
export function auditView({ entries, meta, params, telling }: AuditShown): object {
  const isNarrowed = FILTERS.some((name) => (params[name] ?? '') !== '')
  const total = meta.total.toLocaleString(telling.locale)
  return {
    heading: 'Audit log',
    count: isNarrowed ? '' : total,
    ...(isNarrowed && { found: `${total} found`, clear_url: AUDIT_URL }),
    segments: segmentsOf(params),
    form: formOf(params),
    chips: chipsOf(params, entries),
    exports: ['csv', 'ndjson'].map((form) => ({
      label: form === 'csv' ? 'CSV, for spreadsheets' : 'NDJSON, for programs',
      url: addressWith(`${AUDIT_URL}/export`, { ...params, page: '', format: form }),
      icon: form === 'csv' ? 'table' : 'braces',
    })),
    days: daysOf(entries, params, telling),
    ...pagerOf(meta, params),
    none: isNarrowed
      ? {
          icon: 'search',
          title: 'Nothing found',
          text: 'Nothing here is like that.',
          buttons: [{ label: 'The whole log', url: AUDIT_URL }],
        }
      : { icon: 'audit', title: 'Nothing was done yet', text: 'Who does what is told here, from now on.' },
  }
}

function segmentsOf(params: QueryParams) {
  const labels = { '': 'All', refused: 'Refused', failed: 'Failed' }
  return Object.entries(labels).map(([outcome, label]) => ({
    label,
    url: addressWith(AUDIT_URL, { ...params, page: '', outcome }),
    is_current: (params.outcome ?? '') === outcome,
  }))
}

function formOf(params: QueryParams) {
  const kept = (['actor', 'target', 'outcome'] as const).filter((name) => (params[name] ?? '') !== '')
  return {
    action: AUDIT_URL,
    hidden: kept.map((name) => ({ name, value: params[name] ?? '' })),
    since: params.since ?? '',
    until: params.until ?? '',
    groups: ACTIONS.map(({ label, actions }) => ({
      label,
      options: actions.map((action) => ({ value: action, label: wordsOf(action).name, is_selected: action === params.action })),
    })),
    is_any: (params.action ?? '') === '',
  }
}

/** The filters that no control of the form shows. */
function chipsOf(params: QueryParams, entries: readonly AuditEntry[]) {
  const { actor = '', target = '' } = params
  const name = entries.find((entry) => entry.actor.id === actor)?.actor.name ?? actor
  const [of = '', ...id] = target.split('/')
  const isTarget = (entry: AuditEntry) => entry.target?.id === id.join('/') && [entry.target.kind, entry.target.type].includes(of)
  const title = entries.find((entry) => isTarget(entry) && entry.target?.title)?.target?.title ?? target
  return [
    ...(actor === '' ? [] : [{ label: 'By', value: name, url: addressWith(AUDIT_URL, { ...params, page: '', actor: '' }) }]),
    ...(target === '' ? [] : [{ label: 'To', value: title, url: addressWith(AUDIT_URL, { ...params, page: '', target: '' }) }]),
  ]
}

function daysOf(entries: readonly AuditEntry[], params: QueryParams, telling: Telling) {
  const days: { label: string; entries: object[] }[] = []
  for (const entry of entries) {
    const label = dayOf(entry.at, telling)
    if (days.at(-1)?.label !== label) days.push({ label, entries: [] })
    days.at(-1)?.entries.push(entryView(entry, params, telling))
  }
  return days
}

function entryView(entry: AuditEntry, params: QueryParams, telling: Telling) {
  const { id, at, actor, action, target, outcome, changed, count = 1 } = entry
  const { done, tried } = wordsOf(action)
  const isFailure = action === 'auth.failed'
  const name = actor.name ?? (isFailure ? 'Somebody' : 'Unknown')
  const isOwn = action === 'auth.login' || action === 'auth.logout'
  const object = target && !isOwn ? objectOf(target) : undefined
  const to = (change: QueryParams) => addressWith(AUDIT_URL, { ...params, page: '', ...change })
  return {
    id,
    ...(actor.id === null
      ? { icon: iconOf(entry), tone: isFailure ? 'warn' : 'plain' }
      : { person: avatarOf({ id: actor.id, name }) }),
    name: isFailure ? '' : name,
    verb: isFailure ? (object ? 'Sign-in failed for' : 'Sign-in failed') : outcome === 'refused' ? `tried to ${tried}` : done,
    ...(object && { object }),
    ...(outcome !== 'ok' && !isFailure && { tag: OUTCOME_TAGS[outcome] }),
    note: [
      ...(changed && changed.length > 0 ? [changed.join(', ')] : []),
      ...(count > 1 ? [`${count} times within a minute`] : []),
    ].join(' · '),
    time: clockOf(at, telling),
    at,
    facts: factsOf(entry, telling),
    links: [
      ...(actor.id !== null && params.actor !== actor.id ? [{ label: `All by ${name}`, url: to({ actor: actor.id }) }] : []),
      ...(target?.id
        ? [{ label: 'All that was done to this', url: to({ target: `${target.type}/${target.id}`, action: '' }) }]
        : []),
    ],
  }
}

/** The thing in a sentence: "the user", "Ada"; of a record its type stands behind it. */
function objectOf({ kind, type, id, title }: NonNullable<AuditEntry['target']>) {
  const name = title ?? id
  if (kind === 'record') return { before: '', name: name ?? '', type }
  return {
    before: name === null || kind === 'audit' || kind === 'site' ? `the ${thingOf(kind)}` : thingOf(kind),
    name: name ?? '',
  }
}

function factsOf({ at, action, actor, via, ip, request_id: request, target }: AuditEntry, telling: Telling) {
  const facts = [
    { label: 'Time', text: momentOf(at, telling)?.long ?? at },
    { label: 'Action', text: action, is_code: true },
    ...(actor.id === null ? [] : [{ label: actor.kind === 'token' ? 'Token' : 'User', text: actor.id, is_code: true }]),
    ...(target?.id ? [{ label: 'To', text: `${target.type}/${target.id}`, is_code: true }] : []),
    ...(via === null ? [] : [{ label: 'With', text: via, is_code: true }]),
    { label: 'From', text: ip ?? PLACES[actor.kind], is_code: ip !== null },
    ...(request === null ? [] : [{ label: 'Request', text: request, is_code: true }]),
  ]
  return facts
}

function iconOf({ actor, action }: AuditEntry): string {
  if (action === 'auth.failed') return 'lock'
  return actor.kind === 'system' ? 'quire' : 'code'
}

function pagerOf({ current_page: page, last_page: last, per_page: size, total }: ListMeta, params: QueryParams): object {
  if (last <= 1) return {}
  const at = (n: number) => addressWith(AUDIT_URL, { ...params, page: n === 1 ? '' : String(n) })
  const previous = { label: 'Newer', ...(page > 1 && { url: at(Math.min(page - 1, last)) }) }
  const next = { label: 'Older', ...(page < last && { url: at(page + 1) }) }
  const first = Math.min((page - 1) * size + 1, total)
  return { pager: { text: `${first}–${Math.min(total, page * size)} of ${total}`, previous, next } }
}

/** Returns whether a text is an outcome that the list can be narrowed to. */
export function isOutcome(text: string): boolean {
  return OUTCOMES.some((one) => one === text)
}
