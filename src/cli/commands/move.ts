import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { tellFollowed } from '../followed.ts'
import { idOf, nearRecord, typeOf, withRecords } from '../site.ts'
import { nameOf, recordData } from '../view.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<type>', 'its type')
    .argument('<id>', 'its id now')
    .argument('<new>', 'its id to be; ~ stands for / in folders')
    .option('--no-redirect', 'the address it had leads nowhere')
    .addHelpText('after', examples('cms move posts helo-world hello-world', 'cms move posts hello-world 2026~hello-world'))
    .addHelpText(
      'after',
      '\nThe address it had leads to the new one. Links, references and menus that lead to the record are rewritten with it.',
    )
    .action(
      act((call, type: string, id: string, newId: string, options: { redirect: boolean }) =>
        move(call, type, { id: idOf(id), newId: idOf(newId), ...options }),
      ),
    )
}

interface Move {
  readonly id: string
  readonly newId: string
  readonly redirect: boolean
}

async function move(call: Call, typeName: string, { id, newId, redirect }: Move): Promise<Answer> {
  return withRecords(call, async (site) => {
    const type = await typeOf(site, typeName)
    const moved = await nearRecord(site, type, id, () =>
      site.features.records.move(site.access, type.name, id, newId, { redirect }),
    )
    const path = (await site.fileOf(moved.document.key)) ?? nameOf(moved.document)
    call.output.say(`${type.name}/${id} is now ${nameOf(moved.document)}.`)
    return { data: { ...recordData(moved), path, followed: tellFollowed(call, moved) }, text: path }
  })
}
