import type { Access } from '#core/access/access.ts'
import type { Resource, Row } from '../../resource.ts'
import { changesView } from '../comparing/changes-view.ts'
import { formValues } from '../forms/form-values.ts'
import { fieldsOf, formOf } from '../resources/form-view.ts'
import { urlOf } from '../resources/list-view.ts'
import type { Kept } from './autosaves.ts'
import { keptUrl, timeOf } from './kept-texts.ts'

/** A text that was kept, and the record that it is of. */
export interface KeptShown {
  readonly resource: Resource
  readonly access: Access
  readonly kept: Kept
  /** The record as it is now; undefined for a new one, and for one that is gone. */
  readonly row: Row | undefined
  /** The record in the version that the edit began from, where that is known and another. */
  readonly start: Row | undefined
  readonly site: { readonly locale: string; readonly timezone: string; readonly url: string; readonly name: string }
  readonly now: number
}

/** Returns what the template `kept` shows. */
export function keptView(shown: KeptShown): object {
  const { resource, access, kept, row, start, site, now } = shown
  const url = urlOf(resource)
  const { set } = formOf(resource, access, start ?? row, site).read(formValues(kept.pairs))
  const here = row && `${url}/${encodeURIComponent(row.id)}/edit`
  const gone = kept.id !== undefined && !row ? `&of=${encodeURIComponent(kept.id)}` : ''
  return {
    crumbs: [
      { label: resource.label, url },
      ...(here ? [{ label: row.title, url: here }] : []),
      { label: 'Words that were kept' },
    ],
    heading: kept.title === '' ? 'Words of yours that were kept' : kept.title,
    note: `Kept ${timeOf(kept, { ...site, now })}, never saved. ${stateOf(shown)}`,
    changes: changesView(
      Object.entries(set).map(([field, after]) => ({ field, before: row?.values[field] ?? null, after })),
      fieldsOf(resource, access, start ?? row),
      site.timezone,
    ),
    none: 'Nothing differs: all of it is in the record.',
    use: { url: `${here ?? `${url}/create`}?kept=${kept.form}${gone}`, label: 'Go on with them' },
    discard: {
      action: keptUrl(kept, ''),
      hidden: [{ name: '_method', value: 'DELETE' }],
      label: 'Throw them away',
    },
    back: here ? { label: `Back to the ${resource.singular} as it is`, url: here } : { label: 'To the dashboard', url: '/admin' },
  }
}

/** Says what became of the record since. */
function stateOf({ kept, row, resource }: KeptShown): string {
  if (kept.id === undefined) return `They are of a new ${resource.singular}.`
  if (!row) return `The ${resource.singular} is gone by now; they can be made a new one.`
  if (kept.base === row.version) return `The ${resource.singular} is as it was.`
  return `The ${resource.singular} was changed since: saving them keeps what others did, and asks where both meet.`
}
