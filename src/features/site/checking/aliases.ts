import type { Document, Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { aliasPlaces } from '#core/permalink.ts'
import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { targetAt } from '../outline/targets.ts'
import { shown } from './faults.ts'

/** The most aliases of a record that are named: it may have a hundred thousand. */
const MOST_NAMED = 20
const NOT_FOUND = 'Correct it, or take it out.'

/** The aliases of a record that lead nobody to it: what can be no address here, and what is the address of something else. */
export function aliasProblems({ key, url }: Entry, document: Document, { outline }: SiteSnapshot): Problem[] {
  const problems: Problem[] = []
  if (url === null || document.fields.aliases == null) return problems
  for (const { alias, place } of aliasPlaces(document, url)) {
    if (problems.length === MOST_NAMED) break
    const note = (message: string) => problems.push({ file: keyText(key), message, hint: NOT_FOUND, severity: 'warning' })
    if (place.url === null) note(`The alias "${shown(alias)}" ${place.fault}: it leads nobody here.`)
    else if (place.url !== url) {
      const target = targetAt(outline, place.url)
      if (target?.kind !== 'redirect') note(`The alias "${shown(alias)}" is the address of another page: it leads nobody here.`)
      else if (target.to !== url) note(`The alias "${shown(alias)}" leads to ${target.to} already, and not here.`)
    }
  }
  return problems
}
