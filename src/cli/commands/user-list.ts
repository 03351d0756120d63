import type { Command } from 'commander'
import { viewOf } from '#features/users/accounts.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { table } from '../output.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command.addHelpText('after', examples('cms user:list', 'cms user:list --json')).action(act((call) => list(call)))
}

async function list(call: Call): Promise<Answer> {
  return withSite(call, async (site) => {
    const users = await site.features.users.list()
    if (users.length === 0) call.output.say('There is no user yet; make one with `cms user:create --email … --role owner`.')
    const rows = users.map(({ id, email, name, handle, role, disabled, createdAt }) => [
      ...[id, email, name, handle, role],
      createdAt?.slice(0, 10) ?? '',
      disabled ? 'disabled' : '',
    ])
    const text = rows.length > 0 ? table([['ID', 'EMAIL', 'NAME', 'HANDLE', 'ROLE', 'SINCE', ''], ...rows]) : ''
    return { data: users.map((user) => ({ ...viewOf(user) })), text }
  })
}
