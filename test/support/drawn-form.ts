import { parseForm } from '#features/admin/forms/body.ts'
import type { FieldView } from '#features/admin/forms/field-view.ts'
import type { FormFields } from '#features/admin/forms/form-values.ts'

/** Names and values that a browser would send of these fields, as they are drawn. */
export function sentPairs(views: readonly FieldView[]): [name: string, value: string][] {
  return views.flatMap((view) => {
    const hidden = view.hidden && !view.isReadOnly ? [[view.hidden.name, view.hidden.value] as [string, string]] : []
    return [...hidden, ...ownPairs(view)]
  })
}

/** The fields of a form as the panel gets them of a browser. */
export function sentForm(pairs: [name: string, value: string][]): FormFields {
  return parseForm(Buffer.from(new URLSearchParams(pairs).toString())).values
}

function ownPairs({ kind, name, value, options = [], items = [], fields = [], isReadOnly }: FieldView): [string, string][] {
  const chosen = () => options.filter((option) => option.isSelected).map((option): [string, string] => [name, option.value])
  if (kind === 'list') return sentPairs(items)
  if (kind === 'object') return sentPairs(fields)
  if (kind === 'kept' || isReadOnly) return []
  if (kind === 'checkbox') return value === 'true' ? [[name, 'true']] : []
  if (kind === 'choices') return chosen()
  if (kind === 'reference' && name.endsWith('[]')) return [...chosen(), [name, '']]
  if (kind === 'select') return chosen().slice(0, 1)
  if (kind === 'textarea' || kind === 'markdown' || kind === 'json') return [[name, value.replaceAll(/\r\n?|\n/g, '\r\n')]]
  const line = value.replaceAll(/[\r\n]/g, '')
  if (kind === 'email') return [[name, line.trim()]]
  if (kind === 'date') return [[name, /^\d{4}-\d\d-\d\d$/.test(line) ? line : '']]
  if (kind === 'datetime') return [[name, /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(line) ? line : '']]
  return [[name, line]]
}
