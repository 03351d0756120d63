import type { Command } from 'commander'
import type { ContentType } from '#core/types/content-type.ts'
import { Forbidden } from '#lib/errors.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import type { Quire } from '../open/site.ts'
import { ask } from '../prompts.ts'
import { idOf, nearRecord, typeOf, withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<type>', 'its type')
    .argument('<id>', 'its id')
    .option('--allow-delete', 'delete without asking; -y does not')
    .addHelpText('after', examples('cms delete posts hello-world', 'cms delete posts hello-world --allow-delete'))
    .action(
      act((call, type: string, id: string, options: { allowDelete?: boolean }) =>
        remove(call, type, idOf(id), options.allowDelete === true),
      ),
    )
}

async function remove(call: Call, typeName: string, id: string, allowed: boolean): Promise<Answer> {
  return withSite(call, async (site) => {
    const type = await typeOf(site, typeName)
    const name = `${type.name}/${id}`
    if (!allowed) await confirm(call, site, type, id)
    await nearRecord(site, type, id, () => site.features.records.remove(site.access, type.name, id))
    call.output.say(`Deleted ${name}.`)
    return { data: { id, type: type.name, deleted: true }, text: name }
  })
}

async function confirm(call: Call, site: Quire, type: ContentType, id: string): Promise<void> {
  if (!call.interactive) throw new Forbidden('Nothing was deleted: a deletion has to be allowed.', 'Say --allow-delete as well.')
  const { document } = await nearRecord(site, type, id, () => site.features.records.get(site.access, type.name, id))
  const typed = await ask(call, `This deletes "${document.fields.title}". Type its id, ${id}, to go on:`)
  if (typed !== id) throw new Forbidden('Nothing was deleted: that was not its id.', `Type ${id}, or say --allow-delete.`)
}
