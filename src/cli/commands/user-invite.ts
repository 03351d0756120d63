import type { Command } from 'commander'
import { viewOf } from '#features/users/accounts.ts'
import type { User } from '#features/users/user.ts'
import { Conflict } from '#lib/errors.ts'
import { userOf } from '../accounts.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { invite, mailFor } from '../invitations.ts'
import type { Quire } from '../open/site.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<who>', 'their address, handle or id')
    .addHelpText('after', examples('cms user:invite ada@example.org', 'cms user:invite ada-lovelace'))
    .action(act((call, who: string) => withSite(call, (site) => inviteOn(call, site, who), mailFor(call))))
}

async function inviteOn(call: Call, site: Quire, who: string): Promise<Answer> {
  const user = await userOf(site, who)
  if (!site.config.features.auth)
    throw new Conflict(
      'Signing in is switched off on this site.',
      undefined,
      'Set `features: { auth: true }` in cms.config.yaml.',
    )
  if (user.disabled || !(await invite(call, site, user))) throw disabled(user)
  return { data: { ...viewOf(user) }, text: user.id }
}

function disabled({ name, handle }: User): Conflict {
  return new Conflict(
    `${name} is disabled: no invitation was sent.`,
    undefined,
    `To let them in: cms user:disable ${handle} --enable`,
  )
}
