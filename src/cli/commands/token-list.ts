import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { table } from '../output.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command.addHelpText('after', examples('cms token:list', 'cms token:list --json')).action(act((call) => list(call)))
}

async function list(call: Call): Promise<Answer> {
  return withSite(call, async (site) => {
    const tokens = await site.features.tokens.list()
    if (tokens.length === 0) call.output.say('There is no token yet; make one with `cms token:create --name ci --scope read`.')
    const rows = tokens.map((token) => [
      token.id,
      token.name,
      [...token.scopes, ...token.types.map((type) => `only ${type}`)].join(' '),
      token.expires_at?.slice(0, 10) ?? 'never',
      token.last_used_at?.slice(0, 10) ?? 'never',
      token.configured ? 'configuration' : (token.owner?.name ?? ''),
    ])
    const text = rows.length > 0 ? table([['ID', 'NAME', 'SCOPES', 'EXPIRES', 'LAST USED', 'FROM'], ...rows]) : ''
    return { data: tokens.map((token) => ({ ...token })), text }
  })
}
