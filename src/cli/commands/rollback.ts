import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { asUsage } from '../failure.ts'
import { tellFollowed } from '../followed.ts'
import { idOf, nearRecord, typeOnce, withRecords } from '../site.ts'
import { nameOf, recordData } from '../view.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<type>', 'its type')
    .argument('<id>', 'its id')
    .argument('<ts>', 'the revision to go back to, as `cms log` names it')
    .option('--restore-status', 'take the status of the revision, too')
    .option('--no-redirect', 'addresses that it loses lead nowhere')
    .addHelpText(
      'after',
      examples(
        'cms rollback posts hello-world 1768478400000',
        'cms rollback posts hello-world 2026-01-15T12:00:00Z --restore-status',
      ),
    )
    .addHelpText(
      'after',
      '\nNothing is lost: the rollback is a revision of its own. A deleted record comes back as it was, status and all.',
    )
    .action(
      act((call, type: string, id: string, ts: string, options: { restoreStatus?: true; redirect: boolean }) =>
        rollback(call, type, idOf(id), { ts, restoreStatus: options.restoreStatus, redirect: options.redirect }),
      ),
    )
}

async function rollback(
  call: Call,
  typeName: string,
  id: string,
  { ts, ...options }: { ts: string; restoreStatus: true | undefined; redirect: boolean },
): Promise<Answer> {
  return withRecords(call, async (site) => {
    const type = await typeOnce(site, typeName, id)
    const back = await nearRecord(site, type, id, () =>
      site.features.revisions.rollback(site.access, type.name, id, ts, options).catch(asUsage),
    )
    const name = nameOf(back.document)
    const path = (await site.fileOf(back.document.key)) ?? name
    call.output.say(back.changed ? `${name} is as it was in ${back.to}.` : `${name} is as it was in ${back.to} already.`)
    const followed = back.followed && { followed: tellFollowed(call, back.followed) }
    return { data: { ...recordData(back), path, rolled_back_to: back.to, changed: back.changed, ...followed }, text: path }
  })
}
