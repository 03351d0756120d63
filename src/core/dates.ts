import type { Head } from './document.ts'

/** The creation and modification dates of a record: RFC 3339 UTC with milliseconds, absent if not known. */
export interface KnownDates {
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** A head with dates that it does not have itself. */
export function datedHead<T extends Head>(head: T, known: KnownDates | undefined): T {
  if (!known || head.problem?.severity === 'error') return head
  const createdAt = head.createdAt ?? known.createdAt
  const updatedAt = head.updatedAt ?? known.updatedAt
  if (createdAt === head.createdAt && updatedAt === head.updatedAt) return head
  return { ...head, ...(createdAt && { createdAt }), ...(updatedAt && { updatedAt }), datedByHistory: true }
}
