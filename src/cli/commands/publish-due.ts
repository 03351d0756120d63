import type { Command } from 'commander'
import { NotFound } from '#lib/errors.ts'
import { counted } from '#lib/text/counted.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import type { Quire } from '../open/site.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command
    .addHelpText('after', examples('cms publish:due', 'cms publish:due --json'))
    .addHelpText('after', '\nA server does this each minute. Without one, run it from cron, or before a build.')
    .action(act((call) => publishDue(call)))
}

async function publishDue(call: Call): Promise<Answer> {
  return withSite(call, (site) => dueOf(call, site), { delivering: true })
}

async function dueOf({ output }: Call, { config, delivers, features }: Quire): Promise<Answer> {
  if (!config.features.events)
    throw new NotFound('Events are switched off.', 'Set `features: { events: true }` in cms.config.yaml.')
  if (!delivers) {
    output.say('A server runs on the site: it does this each minute.')
    return { data: [], text: '' }
  }
  const events = await features.events.due()
  const data = events.map(({ type, created_at, data: { type: of, id } }) => ({ event: type, type: of, id, at: created_at }))
  output.say(data.length === 0 ? 'Nothing is due.' : `Made ${counted(data.length, 'event')}.`)
  return { data, text: data.map(({ event, type, id, at }) => `${event} ${type}/${id} ${at}`).join('\n') }
}
