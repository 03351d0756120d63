import type { Fault } from './found-media.ts'

/** A link that is longer is not shown whole. */
const MOST_SHOWN = 120

/** The fault of what leads to a record without a page. */
export function notLive(name: string, target: string): Fault {
  return { message: `${name} leads to ${target}, which has no page now.`, hint: 'Publish that record, or take the link out.' }
}

/** A text of a link, cut where it is long. */
export function shown(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}
