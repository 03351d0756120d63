import type { Access } from '#core/access/access.ts'
import type { Version } from '#core/document.ts'
import type { Field } from '#core/types/content-type.ts'
import type { FieldErrors } from '#lib/errors.ts'
import type { Offered } from '../../offered.ts'
import type { Resource, Row, Save } from '../../resource.ts'
import type { FormIds } from '../autosaves/form-ids.ts'
import type { KeptText } from '../autosaves/kept-text.ts'
import type { FieldView } from '../forms/field-view.ts'
import type { FormFields } from '../forms/form-values.ts'
import { RecordForm } from '../forms/record-form.ts'
import type { ReferenceWords } from '../forms/reference-view.ts'
import { impliedFields } from '../forms/shapes.ts'
import { statusView, urlOf } from './list-view.ts'
import { type MoreLink, moreView } from './more-links.ts'
import { previewUrl } from './preview-url.ts'

/** The content of a form, and its reader. */
export interface FormShown {
  readonly resource: Resource
  readonly access: Access
  /** It in the version that the form begins from; undefined for a new one. */
  readonly row: Row | undefined
  readonly site: { readonly locale: string; readonly timezone: string; readonly url: string }
  readonly sent?: FormFields | undefined
  readonly base?: Version | undefined
  readonly forms: FormIds
  readonly errors: FieldErrors
  readonly options?: Readonly<Record<string, readonly Offered[]>> | undefined
  /** The words of the form's references. */
  readonly references: ReferenceWords
  /** The reason why it was not saved, where that is none of a field's. */
  readonly message?: string | undefined
  /** The ways to what it was, and is made of. */
  readonly more: readonly MoreLink[]
  /** The reader's way to edit a text, and the addresses that the editor asks. */
  readonly editor: { readonly mode: string; readonly upload: string | undefined; readonly records: string | undefined }
  /** A text of the reader's that was typed and not saved. */
  readonly kept?: KeptText | undefined
}

/** Kinds of fields that need the width of the text. */
const WIDE: ReadonlySet<string> = new Set(['object', 'json', 'markdown', 'textarea', 'kept'])

/** Fields that stand below the title, as a text of their own. */
const DECKS: readonly string[] = ['excerpt', 'summary', 'description', 'deck', 'lead']

const ONE_SAVE: readonly Save[] = [{ name: 'save', label: 'Save', says: '', set: {}, isMain: true }]

/** Returns the form of what is there, or of a new one. */
export function formOf(
  resource: Resource,
  access: Access,
  row: Row | undefined,
  { timezone }: { readonly timezone: string },
): RecordForm {
  return new RecordForm({ fields: fieldsOf(resource, access, row), record: row?.values, zone: timezone })
}

/** Returns the ways to save; none for who may not. */
export function savesFor(resource: Resource, access: Access, row: Row | undefined): readonly Save[] {
  if (row ? !resource.update || !resource.mayUpdate(access, row) : !resource.create) return []
  return resource.saves?.(access, row) ?? ONE_SAVE
}

/** Returns what the templates `edit` and `form` show. */
export function formView(shown: FormShown): object {
  const { resource, access, row, base, errors, message, sent } = shown
  const saves = savesFor(resource, access, row)
  const form = new RecordForm({
    fields: fieldsOf(resource, access, row),
    record: row?.values,
    zone: shown.site.timezone,
    isReadOnly: () => saves.length === 0,
  })
  const { fields, others } = form.draw({
    errors,
    ...(sent && { sent }),
    optionsOf: ({ name }) => shown.options?.[name],
    ...shown.references,
  })
  const url = urlOf(resource)
  const summary = [...(message === undefined ? [] : [message]), ...others].map((text) => ({ id: '', text }))
  const wrong = [...summary, ...errorsIn(fields)]
  const common = {
    crumbs: [{ label: resource.label, url }, { label: row?.title ?? `New ${resource.singular}` }],
    form: {
      action: row ? `${url}/${encodeURIComponent(row.id)}` : url,
      method: row ? 'PUT' : '',
      base: base ?? row?.version ?? '',
      ids: shown.forms.join(' '),
      hidden: [],
    },
    errors: wrong,
    errors_title: wrong.length === 1 ? 'Not saved: one thing to mend.' : `Not saved: ${wrong.length} things to mend.`,
    notices: [...noticesOf(shown, saves), ...(shown.kept?.notice ? [shown.kept.notice] : [])],
    keeping: shown.kept?.keeping,
  }
  return resource.layout === 'desk'
    ? { ...common, ...deskView(shown, fields, saves) }
    : { ...common, ...columnView(shown, fields, saves) }
}

function deskView(
  { resource, access, row, site, more, editor }: FormShown,
  fields: readonly FieldView[],
  saves: readonly Save[],
) {
  const named = (name: string) => fields.find((field) => field.name === name)
  const [title, body] = [named('title'), named('body')]
  const deck = DECKS.map(named).find(
    (field) => field && (field.kind === 'text' || field.kind === 'textarea' || field.kind === 'markdown'),
  )
  const rest = fields.filter((field) => field !== title && field !== body && field !== deck)
  const isWide = (field: FieldView) =>
    WIDE.has(field.kind) || (field.kind === 'list' && (field.blank?.kind === 'object' || WIDE.has(field.blank?.kind ?? '')))
  return {
    record_id: row?.id ?? '',
    fields: { title, body, deck, side: rest.filter((field) => !isWide(field)), below: rest.filter(isWide) },
    editor: editor.mode,
    editor_urls: { base: row?.url === undefined ? '/' : `${row.url}/`, upload: editor.upload, records: editor.records },
    says: saves.map(({ name, label, says, isMain }) => ({
      label,
      note: says,
      name: 'do',
      value: name,
      tone: isMain ? 'primary' : 'plain',
    })),
    ...(resource.hasPreview?.() && {
      ...(row && { preview_url: `${urlOf(resource)}/${encodeURIComponent(row.id)}/preview` }),
      preview_frame: previewUrl(resource, row?.id ?? 'new'),
    }),
    sentence: sentenceOf(row, site),
    side_notes: [],
    more: row ? moreOf(resource, access, row, more) : [],
    words: '',
    narrow: false,
    status: row?.status === undefined ? undefined : statusView(row.status),
  }
}

function columnView({ resource, access, row, more }: FormShown, fields: readonly FieldView[], saves: readonly Save[]) {
  const url = urlOf(resource)
  const [main] = saves
  const mayRemove = row && resource.remove && (resource.mayRemove?.(access, row) ?? resource.mayUpdate(access, row))
  return {
    heading: row?.title ?? `New ${resource.singular}`,
    groups: [{ label: '', fields }],
    more: moreView(more),
    ...(main && { save: { label: row || main.label !== 'Save' ? main.label : `Create ${resource.singular}`, note: main.says } }),
    others: [...actionsOf(resource, access, row), { label: main ? 'Cancel' : 'Back', url }],
    narrow: true,
    ...(mayRemove && {
      danger: {
        label: `Delete this ${resource.singular}`,
        text: resource.removal ?? '',
        button: { label: 'Delete…', url: `${url}/${encodeURIComponent(row.id)}/delete`, tone: 'danger' },
      },
    }),
  }
}

/** The buttons of what can be done to one thing; they send the form to an address of their own. */
function actionsOf(resource: Resource, access: Access, row: Row | undefined) {
  if (!row) return []
  const here = `${urlOf(resource)}/${encodeURIComponent(row.id)}`
  const possible = (resource.actions ?? []).filter((action) => action.on === 'one' && action.may(access, row))
  return possible.map(({ name, label }) => ({ label, name: '_method', value: '', formaction: `${here}/${name}` }))
}

function moreOf(resource: Resource, access: Access, row: Row, links: readonly MoreLink[]) {
  const here = `${urlOf(resource)}/${encodeURIComponent(row.id)}`
  const mayRemove = resource.remove && (resource.mayRemove?.(access, row) ?? resource.mayUpdate(access, row))
  return [
    ...(row.url === undefined ? [] : [{ label: 'The page', url: row.url, icon: 'external' }]),
    ...links,
    ...(mayRemove ? ['-', { label: 'Delete…', url: `${here}/delete`, icon: 'trash', is_danger: true }] : []),
  ]
}

function noticesOf({ row, resource }: FormShown, saves: readonly Save[]) {
  if (row?.problem !== undefined)
    return [{ tone: 'bad', title: 'This file can’t be read.', text: `${row.problem} It is changed in its file, not here.` }]
  if (row && saves.length === 0) return [{ tone: 'info', text: `You may read this ${resource.singular}, and not change it.` }]
  return []
}

/** Says what becomes public, and where. */
function sentenceOf(row: Row | undefined, site: { readonly url: string }): string {
  if (!row) return 'Nobody sees it before you publish it.'
  if (row.url === undefined) return 'It has no page of its own; the API gives it while it is public.'
  const address = `${site.url.replace(/\/+$/, '')}${row.url}`
  if (row.status === 'published') return `It is public at ${address}.`
  if (row.status === 'scheduled') return `It becomes public at ${address} by itself.`
  return `Published, it is at ${address}.`
}

/** The declared fields, and those that a record of a type without them has. */
export function fieldsOf(resource: Resource, access: Access, row: Row | undefined): Field[] {
  const declared = resource.fields(access, row)
  const others = row && resource.undeclared ? impliedFields(resource.undeclared(access, row)) : []
  return [...declared, ...others]
}

function errorsIn(fields: readonly FieldView[]): { id: string; text: string }[] {
  return fields.flatMap(({ id, error, items = [], fields: inner = [] }) => [
    ...(error === undefined ? [] : [{ id, text: error }]),
    ...errorsIn(items),
    ...errorsIn(inner),
  ])
}
