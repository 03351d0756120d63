import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { PrivateChangeWriter } from './audit/private-changes.ts'
import type { AuditedThing } from './audited-thing.ts'
import { AUDITED_IDENTITIES } from './auth/providers/identities.ts'
import { AUDITED_KEYS } from './auth/sessions/keys.ts'
import { AUDITED_INVOICES, AUDITED_SUBSCRIPTIONS, TOLD_SUBSCRIPTIONS } from './billing/stored.ts'
import { NewEventWriter } from './events/new-events.ts'
import { tellingStore } from './events/telling-store.ts'
import { AUDITED_MODULES, TOLD_MODULES } from './marketplace/registry/stored.ts'
import { AUDITED_TEAMS } from './teams/stored.ts'
import { AUDITED_TOKENS } from './tokens/stored.ts'
import { AUDITED_USERS, TOLD_USERS } from './users/stored.ts'
import { AUDITED_SECRETS } from './webhooks/secrets.ts'
import { AUDITED_WEBHOOKS } from './webhooks/webhook.ts'

/** The private things that the audit log tells of. */
const AUDITED: readonly AuditedThing[] = [
  ...[AUDITED_USERS, AUDITED_IDENTITIES, AUDITED_KEYS, AUDITED_TOKENS, AUDITED_TEAMS],
  ...[AUDITED_WEBHOOKS, AUDITED_SECRETS, AUDITED_SUBSCRIPTIONS, AUDITED_INVOICES, AUDITED_MODULES],
]

/** Returns the store of what is private: its writes make events and entries of the audit log, since no feed tells of them. */
export function toldStore(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { events, audit }: { readonly events: boolean; readonly audit: boolean },
): Store {
  const things = [TOLD_USERS, TOLD_SUBSCRIPTIONS, TOLD_MODULES]
  const told = events ? tellingStore(store, new NewEventWriter({ store, clock, things })) : store
  return audit ? tellingStore(told, new PrivateChangeWriter({ store, clock, things: AUDITED })) : told
}
