import { Conflict } from '#lib/errors.ts'
import type { UsedBy } from './schema.ts'
import { toldUses } from './view.ts'

/** The error for a media file that something uses. */
export function inUse(usedBy: readonly UsedBy[]): Conflict {
  const [first, ...more] = usedBy.map(({ type, id }) => `${type}/${id}`)
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  return new Conflict(
    `It is used by ${first}${others}.`,
    { used_by: toldUses(usedBy) },
    'With ?force=true it is removed all the same.',
  )
}

/** The error for what needs a sidecar. */
export function withoutSidecar(path: string | undefined): Conflict {
  return new Conflict(
    `Nothing is known of this file but its bytes: it was put into ${path} without Quire.`,
    undefined,
    'Change its alt or title first, or do it where the file lies.',
  )
}
