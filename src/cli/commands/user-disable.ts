import type { Command } from 'commander'
import { viewOf } from '#features/users/accounts.ts'
import { userOf } from '../accounts.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<who>', 'their address, handle or id')
    .option('--enable', 'lets them sign in again')
    .addHelpText('after', examples('cms user:disable ada@example.org', 'cms user:disable ada-lovelace --enable'))
    .action(act((call, who: string, options: { enable?: boolean }) => disable(call, who, options.enable !== true)))
}

async function disable(call: Call, who: string, disabled: boolean): Promise<Answer> {
  return withSite(call, async (site) => {
    const { id } = await userOf(site, who)
    const user = await site.features.users.setDisabled(id, disabled, site.access.author)
    call.output.say(disabled ? `${user.name} is signed out, and can not sign in.` : `${user.name} can sign in again.`)
    return { data: { ...viewOf(user) }, text: user.id }
  })
}
