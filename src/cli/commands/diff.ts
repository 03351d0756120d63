import type { Command } from 'commander'
import { NotFound } from '#lib/errors.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { asUsage } from '../failure.ts'
import { differenceText } from '../hunks.ts'
import type { Quire } from '../open/site.ts'
import { idOf, nearRecord, typeOnce, withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<type>', 'its type')
    .argument('<id>', 'its id')
    .argument('[ts]', 'the revision, as `cms log` names it; the newest if nothing is said')
    .option('--against <ts>', 'another revision to compare it with; the one before if nothing is said')
    .addHelpText(
      'after',
      examples('cms diff posts hello-world', 'cms diff posts hello-world 1768478400000 --against 1768478300000'),
    )
    .action(
      act((call, type: string, id: string, ts: string | undefined, options: { against?: string }) =>
        diff(call, type, idOf(id), { ts, against: options.against }),
      ),
    )
}

async function diff(
  call: Call,
  typeName: string,
  id: string,
  asked: { ts: string | undefined; against: string | undefined },
): Promise<Answer> {
  return withSite(call, async (site) => {
    const type = await typeOnce(site, typeName, id)
    const found = await nearRecord(site, type, id, async () => {
      const ts = asked.ts ?? (await newest(site, type.name, id))
      return site.features.revisions.diff(site.access, type.name, id, ts, asked.against).catch(asUsage)
    })
    const name = `${type.name}/${id}`
    call.output.say(`${name} in ${found.ts}, against ${found.against ?? 'nothing: it is the first'}.`)
    if (found.fields.length === 0) call.output.say('Nothing differs.')
    return { data: JSON.parse(JSON.stringify(found)), text: differenceText(found.fields, call.output) }
  })
}

async function newest(site: Quire, type: string, id: string): Promise<string> {
  const { data } = await site.features.revisions.list(site.access, type, id, { per_page: '1' })
  if (!data[0]) throw new NotFound(`${type}/${id} has no revision yet.`, 'Save it with `cms edit`, or commit it.')
  return data[0].ts
}
