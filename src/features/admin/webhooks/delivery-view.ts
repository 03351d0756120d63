import type { ListMeta } from '#http/requests/paging.ts'
import type { DeskDelivery, DeskWebhook } from '../../webhook-desk.ts'
import { comingOf, momentOf, type Telling } from '../rendering/moments.ts'
import { addressWith } from '../resources/list-address.ts'

/** The address of the webhooks. */
export const WEBHOOKS_URL = '/admin/webhooks'

/** Most characters of an answer that are shown. */
const SHOWN = 200

const STATES = {
  pending: { text: 'Pending', tone: 'warn' },
  delivered: { text: 'Delivered', tone: 'good' },
  failed: { text: 'Failed', tone: 'bad' },
} as const

/** The address of what was sent to a webhook. */
export function deliveriesUrl(id: string): string {
  return `${WEBHOOKS_URL}/${encodeURIComponent(id)}/deliveries`
}

/** Returns the name of a webhook: its description, or its address. */
export function titleOf({ description, url }: DeskWebhook): string {
  return description || url.replace(/^https?:\/\//, '')
}

/** The content of a page of deliveries. */
export interface DeliveriesShown {
  readonly webhook: DeskWebhook
  readonly deliveries: readonly DeskDelivery[]
  readonly meta: ListMeta
  readonly telling: Telling
}

/** Returns what was sent to a webhook as the template `deliveries` shows it. */
export function deliveriesView({ webhook, deliveries, meta, telling }: DeliveriesShown): object {
  const { id, enabled, configured } = webhook
  const here = `${WEBHOOKS_URL}/${encodeURIComponent(id)}`
  const again = enabled ? deliveries.filter(({ type }) => type !== 'webhook.test') : []
  const forms = [
    { id: 'test', action: `${here}/test` },
    ...(enabled ? [] : [{ id: 'enable', action: `${here}/enable` }]),
    ...(configured ? [] : [{ id: 'rotate', action: `${here}/rotate` }]),
    ...again.map((one) => ({ id: `replay-${one.id}`, action: `${here}/deliveries/${encodeURIComponent(one.id)}/replay` })),
  ]
  const rows = deliveries.map((one) => rowOf(one, telling, again.includes(one)))
  return {
    crumbs: [{ label: 'Webhooks', url: WEBHOOKS_URL }, { label: titleOf(webhook), url: `${here}/edit` }, { label: 'Deliveries' }],
    heading: 'Deliveries',
    count: meta.total.toLocaleString(telling.locale),
    forms,
    facts: factsOf(webhook, telling),
    changes: [
      { label: 'Send a test', form: 'test', icon: 'send' },
      ...(enabled ? [] : [{ label: 'Enable', form: 'enable', tone: 'primary' }]),
      ...(configured ? [] : [{ label: 'New secret', form: 'rotate', icon: 'key' }]),
    ],
    columns: [
      { label: 'Event' },
      { label: 'Status' },
      { label: 'Answer' },
      { label: 'Tries', is_end: true },
      { label: 'Made', is_end: true },
      { label: '' },
    ],
    rows,
    none: {
      icon: 'send',
      title: 'Nothing was sent yet',
      text: 'Events of the last 30 days are here. A test shows whether the receiver answers.',
    },
    ...pagerOf(id, meta),
  }
}

function rowOf(
  { id, type, status, attempts, response, next_at: next, created_at: at }: DeskDelivery,
  telling: Telling,
  isAgain: boolean,
) {
  const { text, tone } = STATES[status]
  const coming = next === null ? undefined : comingOf(next, telling)?.short
  return {
    id,
    title: type,
    ...(coming !== undefined && { note: `Next try: ${coming}` }),
    cells: [
      { kind: 'tag', text, tone },
      { kind: 'text', text: response ? answerOf(response) : '' },
      { kind: 'text', text: String(attempts), is_bare: true, is_end: true },
      { kind: 'time', at },
      { kind: 'buttons', buttons: isAgain ? [{ label: 'Send again', form: `replay-${id}`, tone: 'quiet' }] : [], is_end: true },
    ],
  }
}

function answerOf({ status, body }: NonNullable<DeskDelivery['response']>): string {
  const words = body.replace(/\s+/g, ' ').trim()
  const short = words.length > SHOWN ? `${words.slice(0, SHOWN)}…` : words
  return status === null ? short : `${status} ${short}`.trim()
}

function factsOf(
  { url, events, enabled, disabled_at: since, disabled_reason: reason, configured }: DeskWebhook,
  telling: Telling,
) {
  const at = since === null ? undefined : momentOf(since, telling)?.long
  const off = [at === undefined ? 'Disabled' : `Disabled since ${at}`, ...(reason === null ? [] : [reason])].join('. ')
  return [
    { label: 'Address', text: url, is_code: true },
    { label: 'Events', text: events.join(', ') },
    { label: 'Status', text: enabled ? 'On' : off },
    ...(configured ? [{ label: 'From', text: 'The configuration, where it is changed.' }] : []),
  ]
}

function pagerOf(id: string, { current_page: page, last_page: last, per_page: size, total }: ListMeta): object {
  if (last <= 1) return {}
  const at = (n: number) => addressWith(deliveriesUrl(id), { page: String(n) })
  const previous = { label: 'Newer', ...(page > 1 && { url: at(page - 1) }) }
  const next = { label: 'Older', ...(page < last && { url: at(page + 1) }) }
  return { pager: { text: `${(page - 1) * size + 1}–${Math.min(total, page * size)} of ${total}`, previous, next } }
}
