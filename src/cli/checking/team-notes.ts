import type { Quire } from '../open/site.ts'

/** Sentences, one a type, about types whose team is not there, or that belong to one while teams are off. */
export async function teamNotes(site: Quire): Promise<string[]> {
  const { features, types } = site.config
  const hidden = 'it exists for who may write teams alone'
  if (features.teams && features.auth)
    return (await site.features.teams.orphans()).map(
      ([type, slug]) => `${type}: there is no team "${slug}", so ${hidden}. Make the team in the panel or with POST /api/teams.`,
    )
  const owned = Object.entries(types).filter(([, { team }]) => team !== null)
  return owned.map(
    ([type, { team }]) =>
      `${type}: it belongs to the team "${team}", and teams are off, so ${hidden}. features.teams and features.auth switch them on.`,
  )
}
