import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { idOf, nearRecord, typeOf, withRecords } from '../site.ts'
import { nameOf, recordData } from '../view.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<type>', 'its type')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('cms publish posts hello-world', 'cms publish posts 2026~01~hello --json'))
    .action(act((call, type: string, id: string) => publish(call, type, idOf(id))))
}

async function publish(call: Call, typeName: string, id: string): Promise<Answer> {
  return withRecords(call, async (site) => {
    const type = await typeOf(site, typeName)
    const input = { status: type.liveStatus }
    const changed = await nearRecord(site, type, id, () => site.features.records.update(site.access, type.name, id, input))
    const data = recordData(changed)
    call.output.say(`${nameOf(changed.document)} is ${data.status}.`)
    return { data, text: typeof data.url === 'string' ? data.url : nameOf(changed.document) }
  })
}
