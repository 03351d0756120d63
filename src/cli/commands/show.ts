import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { idOf, nearRecord, typeOf, withRecords } from '../site.ts'
import { recordData } from '../view.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<type>', 'its type')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('cms show posts hello-world', 'cms show posts hello-world --json'))
    .addHelpText('after', '\nPrints the record as its file has it; with --json as the API has it.')
    .action(act((call, type: string, id: string) => show(call, type, idOf(id))))
}

async function show(call: Call, typeName: string, id: string): Promise<Answer> {
  return withRecords(call, async (site) => {
    const type = await typeOf(site, typeName)
    const found = await nearRecord(site, type, id, () => site.features.records.get(site.access, type.name, id))
    call.output.detail((await site.fileOf(found.document.key)) ?? '')
    return { data: recordData(found), text: found.document.source?.toString('utf8') ?? found.document.body }
  })
}
