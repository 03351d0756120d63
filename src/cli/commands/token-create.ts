import type { Command } from 'commander'
import type { TokenInput } from '#features/tokens/input.ts'
import { parseDuration } from '#lib/duration.ts'
import { Conflict } from '#lib/errors.ts'
import { type Act, type Answer, type Call, collect, examples } from '../command.ts'
import { asUsage, usage } from '../failure.ts'
import { typeOf, withSite } from '../site.ts'

interface Options {
  name: string
  scope: string[]
  type?: string[]
  expires: string
}

export function define(command: Command, act: Act): void {
  command
    .requiredOption('--name <name>', 'what it is called in lists and commits')
    .requiredOption('--scope <scope>', 'a scope or preset (read, edit, admin), narrowed by @type if wanted; repeatable', collect)
    .option('--type <type>', 'the only type it knows of; repeatable', collect)
    .option('--expires <length>', 'a length of time such as 90d, or never', '90d')
    .addHelpText(
      'after',
      examples(
        'cms token:create --name ci --scope read --type posts --expires 90d',
        'TOKEN=$(cms token:create --name bot --scope edit)',
      ),
    )
    .action(act((call, options: Options) => create(call, options)))
}

async function create(call: Call, options: Options): Promise<Answer> {
  const expires = options.expires === 'never' ? 'never' : parseDuration(options.expires)
  if (expires === undefined) {
    throw usage(`--expires takes a length of time, not "${options.expires}".`, 'Write 90d, 12h, or never.')
  }
  return withSite(call, async (site) => {
    for (const type of options.type ?? []) await typeOf(site, type)
    for (const scope of options.scope) if (scope.includes('@')) await typeOf(site, scope.slice(scope.indexOf('@') + 1))
    const input: TokenInput = { name: options.name, scopes: options.scope, types: options.type ?? [], expires }
    const { token, view } = await site.features.tokens.create(input, site.access.author).catch(refused)
    call.output.say(
      `Made the token "${view.name}" (${view.id}), ${view.expires_at ? `good until ${view.expires_at}` : 'without an end'}. It is shown once.`,
    )
    return { data: { token, ...view }, text: token }
  })
}

/** A name that is taken can be mended here by another. */
function refused(error: unknown): never {
  if (error instanceof Conflict)
    throw new Conflict(error.message, undefined, 'Choose another --name, or revoke the other token first.')
  return asUsage(error)
}
