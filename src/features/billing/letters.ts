import type { Composers, Message, MessageValues } from '#core/mail.ts'
import { GRACE } from './course.ts'
import type { InvoiceTerms, KeptInvoice } from './invoice.ts'
import type { Kept } from './kept.ts'
import { moneyText } from './money.ts'

/** The dependencies of letters. */
export interface LettersDeps {
  readonly kept: Kept
  readonly terms: InvoiceTerms
  /** BCP 47. */
  readonly locale: string
  /** Returns the address at which an invoice is looked at. */
  readonly addressOf: (invoice: string) => string
}

type Values = MessageValues['invoice']

/** The composers of letters on what is to be paid. Of an invoice that is not open any more by then there is none. */
export function letterComposers({ kept, terms, locale, addressOf }: LettersDeps) {
  const dayOf = (time: number) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: terms.timezone }).format(time)
  const open = async ({ data }: Message): Promise<KeptInvoice | undefined> => {
    const invoice = typeof data.invoice === 'string' ? await kept.invoice(data.invoice) : undefined
    return invoice?.status === 'open' ? invoice : undefined
  }
  const composed = <V extends Values>({ data }: Message, values: V) => {
    const name = typeof data.name === 'string' ? data.name : ''
    return { name, values, shown: values.link }
  }
  const valuesOf = ({ id, number, total, currency, dueAt }: KeptInvoice): Values => {
    return { number, amount: moneyText(total, currency, locale), due: dayOf(dueAt), link: addressOf(id) }
  }
  const late = async (message: Message) => {
    const invoice = await open(message)
    const of = invoice && (await kept.subscription(invoice.subscription))
    const since = of?.subscription.pastDueSince
    if (!invoice || since === undefined) return undefined
    // Elsewhere that is not ours to say.
    return composed(message, { ...valuesOf(invoice), ends: of?.gateway === 'manual' ? dayOf(since + GRACE) : '' })
  }
  return {
    invoice: async (message: Message) => {
      const invoice = await open(message)
      return invoice && composed(message, valuesOf(invoice))
    },
    'past-due': late,
    'past-due-reminder': late,
  } satisfies Partial<Composers>
}
