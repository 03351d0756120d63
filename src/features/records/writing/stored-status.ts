import type { ContentType } from '#core/types/content-type.ts'
import type { Fields } from '#lib/json.ts'

/** The status of a new record that is sent without one: `draft`, else the first that is not live. */
export function firstStatus(type: ContentType): string {
  const statuses = [...type.statuses.values()]
  if (type.statuses.get('draft')?.live === false) return 'draft'
  return statuses.find((status) => !status.live)?.name ?? type.defaultStatus
}

/** The stored status of a record with these fields. */
export function statusOf(type: ContentType, fields: Readonly<Fields>): string {
  return typeof fields.status === 'string' ? fields.status : type.defaultStatus
}

/** Returns whether a record in this status is public between its begin and its end. */
export function isLiveStatus(type: ContentType, name: string): boolean {
  return type.statuses.get(name)?.live === true
}
