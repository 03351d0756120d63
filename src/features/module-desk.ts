import type { Access } from '#core/access/access.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { PageFile, PagePart } from '#module/panel.ts'
import type { ResourceGroup } from './resource.ts'

/** A page that a module brings to the panel. */
export interface DeskPage {
  readonly module: string
  /** Its address: `/admin/x/contacts/visits`. */
  readonly url: string
  readonly label: string
  readonly group: ResourceGroup
  readonly icon: string
  /** Returns whether it exists for the reader: else it is not linked, and 404. */
  sees(access: Access): boolean
  /** Resolves with its parts, checked; undefined where the module throws or takes too long, which the log says. */
  parts(access: Access, query: QueryParams): Promise<readonly PagePart[] | undefined>
  /** Resolves with one of its files; undefined as for `parts`. Throws NotFound where it has none of that name. */
  file(access: Access, name: string, query: QueryParams): Promise<PageFile | undefined>
}

/** A card that a module brings to the dashboard. */
export interface DeskCard {
  readonly name: string
  readonly label: string
  readonly parts: readonly PagePart[]
}

/** The pages and cards of a site's modules. */
export interface ModuleDesk {
  readonly pages: readonly DeskPage[]
  /** Resolves with the cards that the reader sees, without those that throw or take too long. */
  cards(access: Access): Promise<readonly DeskCard[]>
}
