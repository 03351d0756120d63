import type { Feature, FeatureDeps } from '../feature.ts'
import type { Resources } from '../resource.ts'
import type { TeamSubscriptions } from '../subscription-view.ts'
import { Members } from './members.ts'
import { TeamResource } from './panel/resources.ts'
import type { People } from './people.ts'
import { TeamCustomers } from './team-customers.ts'
import { Teams } from './teams.ts'

/** The dependencies of teams. */
export interface TeamsFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & { readonly types: Readonly<Record<string, { readonly team: string | null }>> }
  readonly people: People
  /** The subscriptions of teams; undefined where they have none. */
  readonly subscriptions: (() => TeamSubscriptions) | undefined
}

/** Makes the teams of a site. */
export function makeTeams({ store, clock, ledger, config, people, subscriptions }: TeamsFeatureDeps) {
  const teams = new Teams({ store, clock, people, types: config.types, subscriptions })
  const members = new Members({ teams, people, clock, ledger })
  return {
    offers: teams,
    customers: new TeamCustomers({ store, teams }),
    resources: new TeamResource({ teams, members }),
    routes: async (app, { api }) => {
      const { teamRoutes } = await import('./routes.ts')
      if (config.features.api) await teamRoutes(app, { teams, members, ...api })
    },
  } satisfies Feature & { readonly resources: Resources; readonly customers: TeamCustomers }
}
