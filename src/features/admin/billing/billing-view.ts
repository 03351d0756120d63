import type { ListMeta } from '#http/requests/paging.ts'
import type { BillingDesk, DeskInvoice, DeskOverview, DeskPlan } from '../../billing-desk.ts'
import type { Customer } from '../../customers.ts'
import type { Panel } from '../requests/panel.ts'
import { addressWith } from '../resources/list-address.ts'

/** The address of what a customer pays for. */
export const BILLING_URL = '/admin/billing'
/** The address of the invoices. */
export const INVOICES_URL = `${BILLING_URL}/invoices`

const STATES: Readonly<Record<string, string>> = {
  ...{ trialing: 'On trial', active: 'Active', past_due: 'Past due', canceled: 'Ended' },
  ...{ open: 'Open', paid: 'Paid', void: 'Void' },
}

/** The language and the time zone of a site. */
type Place = Pick<Panel['site'], 'locale' | 'timezone'>

/** The parts of a page on what a customer pays for. */
export interface OverviewShown {
  readonly desk: BillingDesk
  readonly overview: DeskOverview
  readonly name: string
  readonly team: string | undefined
  readonly site: Place
}

/** Returns the list of customers as the template shows it. */
export function customersView(customers: readonly Customer[]): object {
  const rows = customers.map(({ id, name, members }) => {
    const cells = [{ kind: 'text', text: String(members), is_end: true }]
    return { id, title: name, url: addressWith(BILLING_URL, { team: id }), cells }
  })
  const columns = [{ label: 'Team' }, { label: 'Members', is_end: true }]
  const buttons = [{ label: 'Invoices', url: INVOICES_URL, icon: 'receipt' }]
  const none = {
    ...{ icon: 'team', title: 'No teams yet', text: 'Teams subscribe to plans, and there is none so far.' },
    buttons: [{ label: 'New team', url: '/admin/teams/create', icon: 'plus', tone: 'primary' }],
  }
  return { heading: 'Billing', buttons, tables: [{ label: 'Teams', columns, rows, none }] }
}

/** Returns the page that leads on to where a subscription is paid for. */
export function leavingView(url: string): object {
  return { heading: 'Billing', note: 'You pay on another page.', buttons: [{ label: 'Go on', url }] }
}

/** Returns what a customer pays for as the template shows it, with what can be done about it. */
export function overviewView({ desk, overview, name, team, site }: OverviewShown): object {
  const { plan, subscription, seats, next_invoice: next } = overview
  const day = daysOf(site, 'long')
  const hidden = team === undefined ? [] : [{ name: 'team', value: team }]
  const buttons = [{ label: 'Invoices', url: addressWith(INVOICES_URL, team ? { team } : {}), icon: 'receipt' }]
  const facts = [
    { label: 'Plan', text: plan ? `${plan.name}, ${priceOf(desk, plan)}` : 'None' },
    ...(subscription ? [{ label: 'Status', text: STATES[subscription.status] }] : []),
    ...(plan && subscription
      ? [{ label: subscription.cancel_at_period_end ? 'Ends' : 'Period until', text: day(subscription.current_period_end) }]
      : []),
    { label: 'Seats', text: seats.of === null ? String(seats.used) : `${seats.used} of ${seats.of}` },
    ...(next ? [{ label: 'Next invoice', text: `${desk.money(next.amount_due, next.currency)} on ${day(next.issued_at)}` }] : []),
  ]
  if (plan && subscription) {
    const isCancelled = subscription.cancel_at_period_end
    const action = `${BILLING_URL}/subscription/${isCancelled ? 'resume' : 'cancel'}`
    const form = { id: 'change', action, hidden }
    const label = isCancelled ? 'Keep the subscription' : 'Cancel at the end of the period'
    return { heading: 'Billing', note: name, buttons, facts, forms: [form], changes: [{ label, form: form.id }] }
  }
  return { heading: 'Billing', note: name, buttons, facts, ...choiceOf(desk, hidden) }
}

function choiceOf(desk: BillingDesk, hidden: readonly object[]): object {
  const { data: plans } = desk.plans()
  const forms = plans.map(({ id }, n) => {
    return { id: `plan-${n}`, action: `${BILLING_URL}/checkout`, hidden: [...hidden, { name: 'plan', value: id }] }
  })
  const rows = plans.map((plan, n) => ({
    id: plan.id,
    title: plan.name,
    cells: [
      { kind: 'text', text: priceOf(desk, plan) },
      { kind: 'text', text: plan.seats === null ? 'Any number' : String(plan.seats), is_bare: true },
      { kind: 'text', text: plan.trial_days > 0 ? `${plan.trial_days} days` : 'None', is_bare: true },
      { kind: 'buttons', buttons: [{ label: `Choose ${plan.name}`, form: `plan-${n}` }], is_end: true },
    ],
  }))
  const columns = [{ label: 'Plan' }, { label: 'Price, net' }, { label: 'Seats' }, { label: 'Trial' }, { label: '' }]
  const none = { icon: 'credit-card', title: 'No plans', text: 'billing.plans of the configuration has them.' }
  return { forms, tables: [{ label: 'Plans', columns, rows, none }] }
}

/** Returns a page of the list of invoices as the template shows it. */
export function invoicesView({
  desk,
  invoices,
  meta,
  team,
  mayClose,
  site,
}: {
  readonly desk: BillingDesk
  readonly invoices: readonly DeskInvoice[]
  readonly meta: ListMeta
  readonly team: string | undefined
  /** True for who may say that an invoice is paid, or void. */
  readonly mayClose: boolean
  readonly site: Place
}): object {
  const hidden = team === undefined ? [] : [{ name: 'team', value: team }]
  const open = mayClose ? invoices.filter(({ status }) => status === 'open') : []
  const forms = open.flatMap(({ id }) =>
    ['pay', 'void'].map((name) => ({ id: `${name}-${id}`, action: `${INVOICES_URL}/${id}/${name}`, hidden })),
  )
  const buttonsOf = ({ id }: DeskInvoice) => [
    { label: 'Paid', form: `pay-${id}` },
    { label: 'Void', form: `void-${id}`, tone: 'danger' },
  ]
  const day = daysOf(site, 'medium')
  const rows = invoices.map((invoice) => ({
    id: invoice.id,
    title: invoice.number,
    url: `${INVOICES_URL}/${invoice.id}`,
    note: invoice.customer.name,
    cells: [
      { kind: 'tag', text: STATES[invoice.status] },
      { kind: 'text', text: desk.money(invoice.amount_due, invoice.currency), is_end: true },
      { kind: 'text', text: day(invoice.issued_at), is_bare: true, is_end: true },
      { kind: 'text', text: day(invoice.due_at), is_bare: true, is_end: true },
      { kind: 'buttons', buttons: open.includes(invoice) ? buttonsOf(invoice) : [], is_end: true },
    ],
  }))
  const columns = ['Number', 'Status', 'Total', 'Date', 'Due', ''].map((label, n) => ({ label, is_end: n > 1 }))
  const crumbs = [{ label: 'Billing', url: addressWith(BILLING_URL, team ? { team } : {}) }, { label: 'Invoices' }]
  const none = { icon: 'receipt', title: 'No invoices', text: 'One opens with each period that is paid for.' }
  const tables = [{ label: 'Invoices', columns, rows, none }]
  return { heading: 'Invoices', count: String(meta.total), crumbs, forms, tables, ...pagerOf(meta, team) }
}

/** Returns the question before an invoice is paid, or void, as the template `confirm` shows it. */
export function closingView(id: string, close: 'pay' | 'void', team: string | undefined): object {
  const url = addressWith(INVOICES_URL, team ? { team } : {})
  const [heading, label, tone] =
    close === 'pay'
      ? [`Is invoice ${id} paid?`, 'It is paid', 'primary']
      : [`Make invoice ${id} void?`, 'Make it void', 'danger filled']
  return {
    ...{ heading, crumbs: [{ label: 'Invoices', url }], sentences: ['This can’t be taken back.'] },
    form: { action: `${INVOICES_URL}/${id}/${close}`, hidden: team === undefined ? [] : [{ name: 'team', value: team }] },
    confirm: { label, name: 'sure', value: 'yes', tone },
    cancel: { label: 'Back', url },
  }
}

function daysOf({ locale, timezone }: Place, dateStyle: 'long' | 'medium'): (time: string) => string {
  const days = new Intl.DateTimeFormat(locale, { dateStyle, timeZone: timezone })
  return (time) => days.format(new Date(time))
}

function pagerOf({ current_page: page, last_page: last, per_page: size, total }: ListMeta, team: string | undefined): object {
  if (last <= 1) return {}
  const at = (n: number) => addressWith(INVOICES_URL, { ...(team && { team }), page: String(n) })
  const previous = { label: 'Previous', ...(page > 1 && { url: at(page - 1) }) }
  const next = { label: 'Next', ...(page < last && { url: at(page + 1) }) }
  const text = `${(page - 1) * size + 1}–${Math.min(total, page * size)} of ${total}`
  return { pager: { text, previous, next } }
}

function priceOf(desk: BillingDesk, { amount, currency, interval }: DeskPlan): string {
  return `${desk.money(amount, currency)} a ${interval}`
}
