import type { Command } from 'commander'
import { viewOf } from '#features/users/accounts.ts'
import { userOf } from '../accounts.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<who>', 'their address, handle or id')
    .addHelpText('after', examples('cms user:unlock ada@example.org', 'cms user:unlock ada-lovelace'))
    .action(act((call, who: string) => unlock(call, who)))
}

async function unlock(call: Call, who: string): Promise<Answer> {
  return withSite(call, async (site) => {
    const user = await userOf(site, who)
    const { auth } = site.features
    await auth.attempts.unlock(user.email)
    call.output.say(`What failed before does not count against ${user.name} any more.`)
    if (user.disabled) {
      const hint = `To let them in: cms user:disable ${user.handle} --enable`
      call.output.warn({ message: `${user.name} is disabled.`, hint })
    }
    return { data: { ...viewOf(user) }, text: user.id }
  })
}
