import type { Access } from '#core/access/access.ts'
import type { Asked } from '#core/history/revision.ts'
import type { ContentType, Field } from '#core/types/content-type.ts'
import type { Changed, ResourceAction } from '../../resource.ts'
import type { Records } from '../records.ts'
import { recordFields } from './record-fields.ts'

/** Returns what can be done to several records of a type at once. */
export function recordActions(records: Records, type: ContentType): ResourceAction[] {
  const { name, statuses, liveStatus, taxonomies } = type
  const act = async (access: Access, input: Parameters<Records['act']>[2], asked: Asked): Promise<readonly Changed[]> =>
    (await records.act(access, name, input, { asked })).changes
  const set = (action: string, label: string, status: string): ResourceAction[] =>
    statuses.has(status)
      ? [
          {
            name: action,
            label,
            on: 'many',
            may: (access) => access.reach('content:publish', name) !== 'none',
            run: (access, ids, _values, asked) => act(access, { ids: [...ids], set: { status } }, asked),
          },
        ]
      : []
  const [first, second] = taxonomies
  const some = first && !second ? (type.fields.get(first.name)?.label ?? first.name).toLowerCase() : 'terms'
  const terms = (action: 'add' | 'remove', label: string): ResourceAction => ({
    name: action,
    label,
    on: 'many',
    fields: (access) => termFields(access, type),
    may: (access) => termFields(access, type).length > 0 && access.reach('content:write', name) !== 'none',
    run: (access, ids, values, asked) => act(access, { ids: [...ids], [action]: values }, asked),
  })
  return [
    ...set('publish', 'Publish', liveStatus),
    ...set('unpublish', 'Unpublish', 'draft'),
    ...set('archive', 'Archive', 'archived'),
    terms('add', `Add ${some}`),
    terms('remove', `Remove ${some}`),
    {
      name: 'delete',
      label: 'Delete',
      confirm: 'Their revisions stay, and each can be brought back.',
      isDangerous: true,
      on: 'many',
      may: (access) => access.reach('content:delete', name) !== 'none',
      run: (access, ids, _values, asked) => act(access, { ids: [...ids], delete: true }, asked),
    },
  ]
}

/** The fields of the terms of a type, that the caller may write. */
function termFields(access: Access, type: ContentType): Field[] {
  const names = new Set(type.taxonomies.map(({ name }) => name))
  return recordFields(access, type).filter(({ name }) => names.has(name))
}
