import type { Access } from '#core/access.ts'
import type { ContentType } from '#core/content-type.ts'
import type { Asked } from '#core/revision.ts'
import type { ResourceAction } from '../../resource.ts'
import type { Records } from '../records.ts'

/** Returns what can be done to several records of a type at once. */
export function recordActions(records: Records, type: ContentType): ResourceAction[] {
  const { name, statuses, liveStatus } = type
  const act = async (access: Access, input: Parameters<Records['act']>[2], asked: Asked): Promise<void> => {
    await records.act(access, name, input, { asked })
  }
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
  const terms = (action: 'add' | 'remove', label: string): ResourceAction => ({
    name: action,
    label,
    on: 'many',
    may: (access) => access.reach('content:write', name) !== 'none',
    run: (access, ids, values, asked) => act(access, { ids: [...ids], [action]: values }, asked),
  })
  return [
    ...set('publish', 'Publish', liveStatus),
    ...set('unpublish', 'Unpublish', 'draft'),
    ...set('archive', 'Archive', 'archived'),
    terms('add', 'Add tags'),
    terms('remove', 'Remove tags'),
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
