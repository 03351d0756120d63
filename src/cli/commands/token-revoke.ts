import type { Command } from 'commander'
import { NotFound } from '#lib/errors.ts'
import { nearest } from '#lib/text/nearest.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import type { Quire } from '../open/site.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<token>', 'its id or its name')
    .addHelpText('after', examples('cms token:revoke ci', 'cms token:revoke 3f9a1c0b72de'))
    .action(act((call, token: string) => revoke(call, token)))
}

async function revoke(call: Call, token: string): Promise<Answer> {
  return withSite(call, async (site) => {
    const view = await revoked(site, token)
    call.output.say(`Revoked the token "${view.name}".`)
    return { data: { ...view, revoked: true }, text: view.id }
  })
}

async function revoked(site: Quire, token: string) {
  try {
    return await site.features.tokens.revoke(token, site.access.author)
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    const near = nearest(
      token,
      (await site.features.tokens.list()).flatMap((view) => [view.name, view.id]),
    )
    throw new NotFound(error.message, near ? `Did you mean ${near}?` : error.hint)
  }
}
