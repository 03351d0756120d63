import { keyText } from '#core/key.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { Fault } from './found-media.ts'

/** Matches a text that has links within the site. Any other has no links to look at. */
export const MAY_LEAD_WITHIN = /\[\[|\]\(\s*<?(?!https?:|mailto:)|\]:\s*<?(?!https?:|mailto:)|(?:href|src)\s*=/i

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

/** Returns the problem with a name in double brackets: it names no record that has a page, or several. */
export function nameFault(name: string, snapshot: SiteSnapshot): Fault | undefined {
  const said = `The link [[${shown(name)}]]`
  const found = snapshot.outline.names.find(name.replace(/\.(?:md|markdown|mdx)$/i, ''))
  if (!found) {
    const hint = 'Correct it, publish that record, or take the brackets out.'
    return { message: `${said} names no record that has a page: it is shown as text.`, hint }
  }
  if (found.count === 1) return undefined
  const message = `${said} may mean ${found.count} records: it leads to ${keyText(found.entry.key)}.`
  return { message, hint: 'Write more of its path.' }
}
