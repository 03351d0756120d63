import type { Command } from 'commander'
import { viewOf } from '#features/users/accounts.ts'
import { roleOf, userOf } from '../accounts.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<who>', 'their address, handle or id')
    .argument('<role>', 'viewer, contributor, author, editor, admin, owner, or one of the configuration')
    .addHelpText('after', examples('cms user:role ada@example.org editor', 'cms user:role ada-lovelace owner'))
    .action(act((call, who: string, role: string) => change(call, who, role)))
}

async function change(call: Call, who: string, name: string): Promise<Answer> {
  return withSite(call, async (site) => {
    const role = roleOf(site, name)
    const before = await userOf(site, who)
    const user = await site.features.users.setRole(before.id, role, site.access.author)
    const says = before.role === role ? 'is that already' : `was ${before.role || 'none'}; they have to sign in again`
    call.output.say(`${user.name} is ${role} now (${says}).`)
    return { data: { ...viewOf(user) }, text: user.id }
  })
}
