import { aliasPlaces, MOST_ALIASES } from '#core/aliases.ts'
import type { Document, Head, Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
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
  problems.push(...overMostAliases(document))
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

/** The terms that have more aliases than lead to them. */
export function termAliasProblems({ outline }: SiteSnapshot): Problem[] {
  const terms = [...outline.declared.values()].flatMap((declared) => [...declared.values()])
  return terms.flatMap(({ heads: [head] }) => overMostAliases(head))
}

function overMostAliases({ key, fields: { aliases } }: Pick<Head, 'key' | 'fields'>): Problem[] {
  if (!Array.isArray(aliases) || aliases.length <= MOST_ALIASES) return []
  const message = `There are ${aliases.length} aliases: only the first ${MOST_ALIASES} lead here.`
  return [{ file: keyText(key), message, hint: 'Take out what nobody follows any more.', severity: 'warning' }]
}
