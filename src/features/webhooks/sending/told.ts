import { type Access, localAccess } from '#core/access/access.ts'
import { type ShownDeps, shownTo } from '../../events/shown.ts'
import type { Sent } from '../delivery-store.ts'
import type { Webhook } from '../webhook.ts'
import { SYSTEM } from '../webhook-store.ts'

/** Somebody whose webhooks there are, and what they may do now. */
export interface Maker {
  readonly name: string
  readonly access: Access
}

/** Finds the maker of a webhook (`user:…`, `token:…`) as they are now; undefined for one who is gone, or may not sign in. */
export type FindMaker = (maker: string) => Promise<Maker | undefined>

/** Resolves with the rights by which a webhook is told now; those of the configuration are told everything. Undefined: of nothing. */
export async function accessFor({ maker, configured }: Webhook, makerOf: FindMaker): Promise<Access | undefined> {
  if (configured) return localAccess(SYSTEM)
  return maker === undefined ? undefined : (await makerOf(maker))?.access
}

/** Resolves with what may be sent now of an event; undefined where it is not to be known any more. Tests are for everyone. */
export async function sentTo(access: Access, sent: Sent, deps: ShownDeps): Promise<Sent | undefined> {
  const { event, of } = sent
  if (event.type === 'webhook.test' || !of) return sent
  const shown = await shownTo(access, { ...of, event }, deps)
  return shown && { event: shown, of }
}
