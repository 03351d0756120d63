import type { Access } from '#core/access/access.ts'
import { withoutTypes } from '#core/access/without-types.ts'
import type { Store } from '#core/store.ts'
import { writesTeams } from './rights.ts'
import { TeamDocuments } from './team-documents.ts'

/** Slugs of teams by the names of the types that they own. */
type Owners = ReadonlyMap<string, string>

const NONE: ReadonlySet<string> = new Set()

/** An access, and the last one that it was narrowed to, without which types. */
type Narrowed = WeakMap<Access, { readonly hidden: string; readonly access: Access }>

/**
 * The types that belong to teams: each exists for the members of its team, and who may write any team. Where teams are off, or one is
 * not there, nobody is a member.
 */
export class OwnedTypes {
  readonly #owners: Owners
  readonly #teams: TeamDocuments | undefined
  readonly #narrowed: Narrowed = new WeakMap()

  /** `types` are those of the configuration; `areOn` says whether the site has teams. */
  constructor(deps: {
    readonly store: Store
    readonly types: Readonly<Record<string, { readonly team: string | null }>>
    readonly areOn: boolean
  }) {
    this.#owners = new Map(Object.entries(deps.types).flatMap(([name, { team }]) => (team === null ? [] : [[name, team]])))
    this.#teams = deps.areOn ? new TeamDocuments(deps.store) : undefined
  }

  /** Narrows the access of a caller to the types that exist for them now: a user's, or that of a token in the hands of its owner. */
  async narrowed(access: Access): Promise<Access> {
    const { user } = access
    if (this.#owners.size === 0 || user === undefined || !this.#teams) return this.ofNobody(access)
    return writesTeams(access) ? access : this.#to(access, await this.#slugsOf(user, this.#teams))
  }

  /** As `narrowed`, for a caller who is in no team: a token that is nobody's. */
  ofNobody(access: Access): Access {
    return writesTeams(access) ? access : this.#to(access, NONE)
  }

  async #slugsOf(user: string, teams: TeamDocuments): Promise<ReadonlySet<string>> {
    const { items } = await teams.page({}, user)
    return new Set(items.filter(({ members }) => members.some((one) => one.user === user)).map(({ slug }) => slug))
  }

  #to(access: Access, slugs: ReadonlySet<string>): Access {
    const types = [...this.#owners].flatMap(([type, slug]) => (slugs.has(slug) ? [] : [type]))
    const hidden = JSON.stringify(types)
    const known = this.#narrowed.get(access)
    if (known?.hidden === hidden) return known.access
    const narrowed = withoutTypes(access, new Set(types))
    this.#narrowed.set(access, { hidden, access: narrowed })
    return narrowed
  }
}
