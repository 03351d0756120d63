import type { Feature, FeatureDeps } from '../feature.ts'
import type { Resources } from '../resource.ts'
import { Members } from './members.ts'
import { TeamResource } from './panel/resources.ts'
import type { People } from './people.ts'
import { Teams } from './teams.ts'

/** The dependencies of teams. */
export interface TeamsFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & { readonly types: Readonly<Record<string, { readonly team: string | null }>> }
  readonly people: People
}

/** Makes the teams of a site. */
export function makeTeams({ store, clock, config, people }: TeamsFeatureDeps) {
  const teams = new Teams({ store, clock, people, types: config.types })
  const members = new Members({ teams, people, clock })
  return {
    offers: teams,
    resources: new TeamResource({ teams, members }),
    routes: async (app, { api }) => {
      const { teamRoutes } = await import('./routes.ts')
      if (config.features.api) await teamRoutes(app, { teams, members, ...api })
    },
  } satisfies Feature & { readonly resources: Resources }
}
