import type { ModuleContext, PageDefinition, PagePart, ResourceDefinition } from '#module/module.ts'
import { DAYS, FIELD_NAME, FORM_NAME, KINDS } from './form.ts'
import { Messages } from './messages.ts'

/** Fields that a new form begins with. */
const USUAL = [
  { name: 'name', label: 'Name', kind: 'text', required: true },
  { name: 'email', label: 'Email', kind: 'email', required: true },
  { name: 'message', label: 'Message', kind: 'long text', required: true },
]

/** Forms, as the panel lets people declare them. */
export const FORMS_RESOURCE: ResourceDefinition = {
  name: 'forms',
  label: 'Forms',
  singular: 'form',
  group: 'site',
  icon: 'list-todo',
  empty: 'A form takes what the readers of your pages send: an inquiry, a sign-up, an answer.',
  columns: ['name', 'label', 'mail_to'],
  fields: [
    {
      name: 'name',
      type: 'text',
      label: 'Name',
      help: 'The last part of its address, /api/x/forms/<name>: small letters, digits and hyphens.',
      rules: ['required', 'unique:forms,name', `regex:/${FORM_NAME.source}/`],
    },
    { name: 'label', type: 'text', label: 'Title', help: 'As letters and lists name it.', rules: 'max:100' },
    {
      name: 'fields',
      type: 'list',
      label: 'Fields',
      rules: 'required|max:50',
      default: USUAL,
      of: {
        type: 'object',
        fields: {
          name: {
            type: 'text',
            label: 'Name',
            help: 'As it is sent: small letters, digits, hyphens and underscores.',
            rules: ['required', `regex:/${FIELD_NAME.source}/`],
          },
          label: { type: 'text', label: 'Label', rules: 'max:100' },
          kind: { type: 'select', label: 'Kind', options: KINDS, default: 'text' },
          required: { type: 'boolean', label: 'Required' },
          max: { type: 'integer', label: 'Most characters', rules: 'between:1,5000' },
          options: { type: 'list', of: { type: 'text' }, label: 'Choices', help: 'Of the kind choice.', rules: 'max:100' },
        },
      },
    },
    { name: 'mail_to', type: 'email', label: 'Letters to', help: 'The address that is told of each message, if one.' },
    {
      name: 'days',
      type: 'integer',
      label: 'Days that messages are kept',
      rules: 'between:1,3650',
      default: DAYS,
    },
    {
      name: 'thanks',
      type: 'text',
      label: 'Thanks',
      help: 'The sentence that is answered; "Thank you for your message." where it is empty.',
      rules: 'max:300',
    },
  ],
}

/** Messages that were sent by forms, as the panel lists them. */
export const MESSAGES_RESOURCE: ResourceDefinition = {
  name: 'messages',
  label: 'Messages',
  singular: 'message',
  group: 'site',
  icon: 'inbox',
  readOnly: true,
  empty: 'What people send by a form is kept here.',
  columns: ['summary', 'form', 'sent_at'],
  fields: [
    { name: 'summary', type: 'text', label: 'Message' },
    { name: 'form', type: 'text', label: 'Form' },
    { name: 'sent_at', type: 'datetime', label: 'Sent' },
    { name: 'values', type: 'json', label: 'Answers' },
  ],
}

/** Returns the page with the numbers of messages, and a file of those of each form. */
export function formsPage(): PageDefinition {
  return {
    name: 'overview',
    label: 'Messages by form',
    group: 'site',
    icon: 'mail',
    parts: async (_query, context) => [await table(context)],
    files: {
      'messages.csv': async ({ form }, context) => {
        const messages = new Messages(context)
        return { type: 'text/csv', text: await messages.csv(await messages.form(form)) }
      },
    },
  }
}

async function table(context: ModuleContext): Promise<PagePart> {
  const messages = new Messages(context)
  const { locale, timezone } = context.site
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: timezone })
  const rows = await Promise.all(
    (await messages.forms()).map(async ({ name, label }) => {
      const { total, messages: newest } = await messages.list(name, { offset: 0, limit: 1 })
      const [last] = newest
      const file = { text: 'CSV', url: `./messages.csv?form=${encodeURIComponent(name)}` }
      return [label, String(total), last ? times.format(Date.parse(last.sent_at)) : '', file]
    }),
  )
  return {
    kind: 'table',
    label: 'Messages',
    columns: ['Form', 'Messages', 'Newest', 'All of them'],
    rows: rows.slice(0, 1000),
    empty: 'There are no forms yet.',
  }
}
