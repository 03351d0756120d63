import { INVITATION_LIFE } from '#features/users/accounts.ts'
import type { User } from '#features/users/user.ts'
import type { Call } from './command.ts'
import type { Quire } from './open/site.ts'

/** Returns the options to open a site that sends mail: links and codes are shown to the user at a terminal. */
export function mailFor(call: Call) {
  // A link signs in: it is shown to a person, and never where words may be kept.
  const onShown = (_letter: unknown, shown: string) => {
    if (call.interactive) call.output.say(`To sign in: ${shown}`)
  }
  return { mail: { onShown } }
}

/**
 * Sends somebody an invitation now, and says where it went. False where there was nobody to send it to; throws where nobody took
 * it.
 */
export async function invite(call: Call, site: Quire, user: User): Promise<boolean> {
  const { auth } = site.features
  const delivered = await site.mail().deliver(auth.accounts.invitation(user))
  if (delivered)
    call.output.say(`The invitation, good for ${INVITATION_LIFE / 86_400_000} days, is handed over: ${delivered.place}.`)
  return delivered !== undefined
}
