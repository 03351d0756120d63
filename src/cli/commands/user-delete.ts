import type { Command } from 'commander'
import type { User } from '#features/users/user.ts'
import { Forbidden } from '#lib/errors.ts'
import { userOf } from '../accounts.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { ask } from '../prompts.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<who>', 'their address, handle or id')
    .option('--allow-delete', 'delete without asking; -y does not')
    .addHelpText('after', examples('cms user:delete ada@example.org', 'cms user:delete ada-lovelace --allow-delete'))
    .action(act((call, who: string, options: { allowDelete?: boolean }) => remove(call, who, options.allowDelete === true)))
}

async function remove(call: Call, who: string, allowed: boolean): Promise<Answer> {
  return withSite(call, async (site) => {
    const user = await userOf(site, who)
    if (!allowed) await confirm(call, user)
    const { id, name, handle } = await site.features.users.remove(user.id, site.access.author)
    call.output.say(`Deleted the user "${name}" (${id}). Their tokens end; what they wrote stays, by ${handle}.`)
    return { data: { id, deleted: true }, text: id }
  })
}

async function confirm(call: Call, { name, email, handle }: User): Promise<void> {
  if (!call.interactive) throw new Forbidden('Nobody was deleted: a deletion has to be allowed.', 'Say --allow-delete as well.')
  const typed = await ask(call, `This deletes the user "${name}" (${email}). Type their handle, ${handle}, to go on:`)
  if (typed !== handle)
    throw new Forbidden('Nobody was deleted: that was not their handle.', `Type ${handle}, or say --allow-delete.`)
}
