import t from 'tap'
import type { KeptInvoice } from '#features/billing/invoice.ts'
import { invoicePages } from '#features/billing/invoice-page.ts'
import { type BrowserPage, startChromium } from '#support/chromium.ts'

const at = (day: string) => Date.parse(`${day}T12:00:00Z`)
const INVOICE: KeptInvoice = {
  ...{ id: '2026-00001', number: '2026-00001', subscription: 's1', customer: 'acme', status: 'open', currency: 'eur' },
  ...{ issuedAt: at('2026-01-31'), dueAt: at('2026-02-14'), paidAt: undefined, paid: 0 },
  ...{ periodStart: at('2026-01-31'), periodEnd: at('2026-02-28') },
  buyer: { team: 'acme', name: 'Acme & Sons Limited' },
  seller: { name: 'Quire Ltd', address: '1 Street of the Lighthouse\n12345 Town\nCountry', tax_id: 'GB123456789' },
  lines: [{ text: 'Pro', quantity: 1, amount: 4950 }],
  ...{ subtotal: 4950, taxPercent: 19, tax: 941, total: 5891 },
}
const LONG = 'An unusually long name without which the invoice would be nothing to look at '
const HUGE: KeptInvoice = {
  ...{ ...INVOICE, currency: 'kwd', status: 'void', number: '2026-1234567' },
  buyer: { team: 'acme', name: LONG.repeat(3) + 'X'.repeat(100) },
  seller: {
    name: LONG,
    address: Array.from({ length: 6 }, (_, nth) => `Line ${nth} of the address`).join('\n'),
    tax_id: 'X'.repeat(60),
  },
  lines: [{ text: `${LONG}${'W'.repeat(60)}`, quantity: 1000, amount: 999_999_999_999 }],
  ...{ subtotal: 999_999_999_999, taxPercent: 19.123456, tax: 99_999_999_999, total: 1_099_999_999_998 },
}
/** Pixels of the narrowest window, and of one of a desk. */
const WIDTHS = [390, 1280]

const chromium = await startChromium()
t.teardown(() => chromium.close())

async function opened(invoice: KeptInvoice, locale = 'en'): Promise<BrowserPage> {
  const context = await chromium.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const { html } = await invoicePages({ locale, timezone: 'UTC' })(invoice)
  await page.goto(`data:text/html;charset=utf-8;base64,${Buffer.from(html).toString('base64')}`)
  return page
}

for (const [name, invoice] of [['plain', INVOICE] as const, ['of long words', HUGE] as const])
  t.test(`an invoice fits its window and one page of A4: ${name}`, async (t) => {
    const page = await opened(invoice)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      t.ok(wide <= width, `${wide} of ${width} pixels`)
      const hidden = await page.evaluate(
        () =>
          [...document.querySelectorAll<HTMLElement>('td, dd, p, h1')].filter((one) => {
            const { right, width } = one.getBoundingClientRect()
            return width > 0 && right > innerWidth
          }).length,
      )
      t.equal(hidden, 0, 'nothing ends outside of the window')
    }
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.printToPDF', { preferCSSPageSize: true })
    const pdf = Buffer.from(String(data), 'base64').toString('latin1')
    t.equal(pdf.match(/\/Type\s*\/Page\b/g)?.length, 1, 'one page')
    t.match(pdf, /\/MediaBox\s*\[\s*0 0 59[45]\.?\d* 84[12]\.?\d*\s*\]/, 'of A4')
    await page.context().close()
  })

t.test('an invoice says who sells, who buys, its number, date, lines, tax, total and currency, also on paper', async (t) => {
  const page = await opened(INVOICE)
  const text = await page.innerText('main')
  for (const word of ['Quire Ltd', '1 Street of the Lighthouse\n12345 Town\nCountry', 'GB123456789', 'Acme & Sons Limited'])
    t.match(text, word)
  for (const word of ['2026-00001', 'January 31, 2026', 'February 14, 2026', 'Pro', '€49.50', '19%', '€9.41', '€58.91', 'EUR'])
    t.match(text, word)
  await page.context().close()
})
