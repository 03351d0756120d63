import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shippedTemplates } from '#lib/package.ts'
import type { InvoiceStatus, KeptInvoice } from './invoice.ts'
import { moneyText } from './money.ts'

const TEMPLATE = join(shippedTemplates('billing'), 'invoice.liquid')

const STATES = { draft: 'Draft', open: 'Open', paid: 'Paid', void: 'Void' } satisfies Record<InvoiceStatus, string>

/** The language (BCP 47) and the time zone of a page. */
export interface PlaceOfPage {
  readonly locale: string
  readonly timezone: string
}

/** A page of HTML, and its content security policy. */
export interface InvoicePage {
  readonly html: string
  readonly policy: string
}

/** Returns what renders the page of an invoice, to be looked at and printed on A4: no script, nothing from elsewhere. */
export function invoicePages(place: PlaceOfPage): (invoice: KeptInvoice) => Promise<InvoicePage> {
  let made: ReturnType<typeof renderer> | undefined
  return async (invoice) => {
    // What failed once may go well the next time.
    made ??= renderer(place).catch((error: unknown) => {
      made = undefined
      throw error
    })
    return (await made)(invoice)
  }
}

async function renderer(place: PlaceOfPage) {
  const { Liquid } = await import('liquidjs')
  const liquid = new Liquid({ outputEscape: 'escape', ownPropertyOnly: true, strictVariables: true, strictFilters: true })
  const template = liquid.parse(await readFile(TEMPLATE, 'utf8'))
  return async (invoice: KeptInvoice): Promise<InvoicePage> => {
    const html = String(await liquid.render(template, valuesOf(invoice, place)))
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? ''
    const policy = [
      "default-src 'none'",
      `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]
    return { html, policy: policy.join('; ') }
  }
}

function valuesOf(invoice: KeptInvoice, { locale, timezone }: PlaceOfPage): object {
  const { number, status, seller, buyer, lines, currency, issuedAt, dueAt, paidAt, periodStart, periodEnd } = invoice
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: timezone })
  const money = (amount: number) => moneyText(amount, currency, locale)
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 6 })
  return {
    ...{ number, status, state: STATES[status], seller, buyer: buyer.name, currency: currency.toUpperCase() },
    ...{ issued: days.format(issuedAt), issuedAt: iso(issuedAt), due: days.format(dueAt), dueAt: iso(dueAt) },
    ...{ paid: paidAt === undefined ? '' : days.format(paidAt), paidAt: paidAt === undefined ? '' : iso(paidAt) },
    ...{ starts: days.format(periodStart), ends: days.format(periodEnd) },
    lines: lines.map(({ text, quantity, amount }) => ({ text, quantity, amount: money(amount) })),
    ...{ subtotal: money(invoice.subtotal), tax: money(invoice.tax), total: money(invoice.total) },
    taxPercent: percent.format(invoice.taxPercent / 100),
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
