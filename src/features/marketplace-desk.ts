import type { AuditTarget } from '#core/audit-log.ts'

/** A module of the site as the panel lists it. */
export interface DeskModule {
  readonly name: string
  readonly version: string | null
  readonly description: string
  /** `due`: on or off as it is not, until the server begins again. */
  readonly state: 'on' | 'off' | 'due' | 'disabled'
  /** The reason why it is off, and how to mend it. */
  readonly reason?: string | undefined
  readonly hint?: string | undefined
  /** `shipped` is switched by the configuration, `site` is a folder of the site's own, `registry` was added from one. */
  readonly from: 'shipped' | 'site' | 'registry'
}

/** A module of the registry, in a list. */
export interface DeskFound {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly author: string
  readonly tags: readonly string[]
  readonly downloads: number
  readonly isSigned: boolean
  readonly deprecated: string | null
}

/** A module on a page of its own. */
export interface DeskOffer {
  readonly name: string
  /** The version that may be added; null where the registry does not have the module. */
  readonly version: string | null
  readonly description: string
  readonly author: string
  readonly license: string
  readonly downloads: number | null
  /** HTML, in which raw HTML of the author is text. */
  readonly readme: string
  readonly permissions: readonly { readonly name: string; readonly says: string }[]
  readonly cms: string
  readonly fits: boolean
  readonly integrity: string | null
  /** `good`: by a key that is trusted here; `other`: by none of these; `unchecked`: no key is; `none`: it is not signed. */
  readonly proof: 'good' | 'other' | 'unchecked' | 'none'
  readonly signer: string | null
  readonly publishedAt: string | null
  readonly deprecated: string | null
  /** The version in place, where there is one. */
  readonly there: DeskModule | undefined
  /** The difference of what it may do to what is in place. */
  readonly changes: { readonly added: readonly string[]; readonly dropped: readonly string[] }
}

/** The deeds that the audit log tells of a module of the site: no store has it. */
export type ModuleDeed = 'added' | 'updated' | 'removed' | 'enabled' | 'disabled'

/** Returns a module as the audit log names it. */
export function moduleTarget(name: string): AuditTarget {
  return { kind: 'module', type: 'module', id: name, title: null }
}

/** Modules as the panel works with them. */
export interface MarketplaceDesk {
  /** The address of the registry; undefined where there is none. */
  readonly registry: string | undefined
  /** Those of the site, what ships and is switched on first. */
  there(): Promise<readonly DeskModule[]>
  search(query: Readonly<Record<string, string>>): Promise<{ readonly modules: readonly DeskFound[]; readonly total: number }>
  /** Those of which the registry has a newer version. */
  updates(): Promise<readonly { readonly name: string; readonly from: string; readonly version: string }[]>
  /** Throws NotFound for one that is neither here nor in the registry. */
  offer(name: string): Promise<DeskOffer>
  /** Adds or updates one to a version, and says which. Throws what keeps it from that. */
  add(name: string, version: string): Promise<'added' | 'updated'>
  remove(name: string): Promise<void>
  /** Switches one that is there on or off, from the next start on. */
  enable(name: string, isOn: boolean): Promise<void>
}
