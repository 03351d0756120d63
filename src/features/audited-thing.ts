import type { Kind } from '#core/key.ts'

/** A sort of private documents whose writes are told in the audit log, since no feed tells of them. */
export interface AuditedThing {
  readonly kind: Kind
  /** The first word of its actions, and the kind of their target. */
  readonly sort: 'user' | 'token' | 'team' | 'webhook' | 'subscription' | 'invoice' | 'key' | 'module'
  /** The names of fields as entries have them, by those in documents. A write that changes no other is not told. */
  readonly names: Readonly<Record<string, string>>
  /** The field that a person knows it by. It is never one that may hold a secret, such as an address. */
  readonly title?: string
  /** The names of actions that differ from `<sort>.created`, `updated` and `deleted`. */
  readonly actions?: { readonly created?: string; readonly deleted?: string; readonly changed?: Readonly<Record<string, string>> }
  /**
   * Set of what is kept beside a thing: what becomes of it is an update of that, told where a batch tells nothing else of it. `owner`
   * is the field with the id of the thing, where that is not its own.
   */
  readonly part?: { readonly owner?: string }
}
