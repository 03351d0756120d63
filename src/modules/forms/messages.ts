import { randomBytes } from 'node:crypto'
import { csvOf } from '#lib/text/csv.ts'
import { type Collection, type Fields, type Json, type ModuleContext, ModuleError, type StoredItem } from '#module/module.ts'
import { type Answers, answersTo, isTrapped } from './answers.ts'
import { DAYS, FORM_NAME, type Form, readForm } from './form.ts'

/** Most messages that are kept of all forms, and most letters about one form in an hour. */
const MOST_KEPT = 20_000
const MOST_LETTERS = 60
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Documents that are read at once, and characters of a message in a list. */
const PAGE = 500
const SUMMARY = 120

/** A message as it is answered. */
export interface Message {
  readonly id: string
  readonly form: string
  readonly sent_at: string
  readonly values: Fields
}

/** The forms of a site, and what was sent by them. */
export class Messages {
  readonly #context: ModuleContext
  readonly #forms: Collection
  readonly #messages: Collection

  constructor(context: ModuleContext) {
    this.#context = context
    this.#forms = context.store.collection('forms')
    this.#messages = context.store.collection('messages')
  }

  /** Returns all forms, by name. */
  async forms(): Promise<Form[]> {
    const { items } = await this.#forms.list({ sort: ['name'], limit: 1000 })
    return items.map(readForm)
  }

  /** Returns a form. Throws a ModuleError with status 404 where there is none of that name. */
  async form(name = ''): Promise<Form> {
    const { items } = FORM_NAME.test(name) ? await this.#forms.list({ where: { name }, limit: 1 }) : { items: [] }
    const [found] = items
    if (!found) throw new ModuleError(404, 'The form was not found.')
    return readForm(found)
  }

  /** Keeps a message, and tells of it; what a program sent is answered alike, and not kept. Resolves with the form's thanks. */
  async take(name: string | undefined, body: Fields): Promise<string> {
    const form = await this.form(name)
    if (isTrapped(form, body)) return form.thanks
    const answers = answersTo(form, body)
    const { total } = await this.#messages.list({ limit: 1 })
    if (total >= MOST_KEPT) throw new ModuleError(503, 'The form takes no messages at the moment.')
    const now = this.#context.now()
    const sent = new Date(now).toISOString()
    const fields = { form: form.name, sent_at: sent, summary: summaryOf(answers), values: answers }
    await this.#messages.put(`${now}-${randomBytes(6).toString('hex')}`, fields, 'absent')
    await this.#tell(form, answers)
    return form.thanks
  }

  /** Returns messages of a form, the newest first. */
  async list(name: string, { offset, limit }: { readonly offset: number; readonly limit: number }) {
    const { items, total } = await this.#messages.list({ where: { form: name }, sort: ['-sent_at'], offset, limit })
    return { messages: items.map(messageOf), total }
  }

  /** Returns all messages of a form as CSV: a column for each of its fields, and for others that it had. */
  async csv({ name, fields }: Form): Promise<string> {
    const messages: Message[] = []
    for await (const item of this.#all(name)) messages.push(messageOf(item))
    messages.sort((a, b) => (a.sent_at < b.sent_at ? 1 : -1))
    const declared = fields.map((field) => field.name)
    const others = messages.flatMap(({ values }) => Object.keys(values)).filter((one) => !declared.includes(one))
    const columns = [...declared, ...new Set(others)]
    const rows = messages.map(({ sent_at, values }) => [sent_at, ...columns.map((column) => cellOf(values[column]))])
    return csvOf([['sent_at', ...columns], ...rows])
  }

  /** Removes a message of a form. Throws a ModuleError with status 404 where there is none. */
  async remove(name: string, id: string): Promise<void> {
    const found = await this.#messages.get(id)
    if (found?.fields.form !== name) throw new ModuleError(404, 'The message was not found.')
    await this.#messages.remove(id)
  }

  /** Removes the messages that were kept for as long as their forms say; those of a form that is gone, for as long as by default. */
  async tidy(signal: AbortSignal): Promise<void> {
    const days = new Map((await this.forms()).map((form) => [form.name, form.days]))
    const now = this.#context.now()
    for await (const { id, fields } of this.#all()) {
      signal.throwIfAborted()
      const life = (days.get(String(fields.form)) ?? DAYS) * DAY
      if (Date.parse(String(fields.sent_at)) + life <= now) await this.#messages.remove(id)
    }
  }

  /** The message is kept: where nobody can be told of it, it is in the panel. */
  async #tell({ name, label, fields, mailTo }: Form, answers: Answers): Promise<void> {
    const { mail, log, store, site } = this.#context
    if (mailTo === undefined) return
    try {
      if ((await store.facts.add(`letters-${name}`, 1, HOUR)) > MOST_LETTERS) return
      const lines = fields.map((field) => `${field.label}: ${cellOf(answers[field.name])}`)
      const text = [`Somebody has sent the form "${label}" of ${site.name}.`, '', ...lines, ''].join('\n')
      await mail.send({ to: mailTo, subject: `${site.name}: ${label}`, text })
    } catch (error) {
      log.error(`The letter about a message of the form "${name}" could not be sent. The message is kept.`, error)
    }
  }

  async *#all(form?: string): AsyncGenerator<StoredItem> {
    const where = form === undefined ? {} : { form }
    const seen = new Set<string>()
    const { total } = await this.#messages.list({ where, limit: 1 })
    // From the end, where no removal moves what is to come.
    for (let end = total; end > 0; end -= PAGE) {
      const offset = Math.max(0, end - PAGE)
      const { items } = await this.#messages.list({ where, sort: ['sent_at'], offset, limit: end - offset })
      for (const item of items) {
        if (seen.has(item.id)) continue
        seen.add(item.id)
        yield item
      }
    }
  }
}

function messageOf({ id, fields }: StoredItem): Message {
  const { form, sent_at, values } = fields
  const isObject = typeof values === 'object' && values !== null && !Array.isArray(values)
  return { id, form: String(form), sent_at: String(sent_at), values: isObject ? values : {} }
}

function summaryOf(answers: Answers): string {
  const text = Object.values(answers).map(cellOf).join(' · ').replaceAll(/\s+/g, ' ')
  return text.length > SUMMARY ? `${text.slice(0, SUMMARY)}…` : text
}

function cellOf(value: Json | undefined): string | number {
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value)
}
