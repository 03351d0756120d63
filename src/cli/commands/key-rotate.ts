import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command
    .option('--revoke', 'refuses what the keys before have signed, from now on: for one that others may have')
    .addHelpText('after', examples('cms key:rotate', 'cms key:rotate --revoke'))
    .action(act((call, options: { revoke?: boolean }) => rotate(call, options.revoke === true)))
}

async function rotate(call: Call, revoke: boolean): Promise<Answer> {
  return withSite(call, async (site) => {
    const { auth } = site.features
    const key = await auth.keys.rotate(site.access.author, revoke)
    const before = revoke ? 'is refused from now on; clients get a new one with their refresh token' : 'is good until it ends'
    call.output.say(`Tokens are signed with the key ${key} from now on; what was signed before ${before}.`)
    return { data: { key, revoked: revoke }, text: key }
  })
}
