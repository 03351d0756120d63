import type { Command } from 'commander'
import type { RevisionView } from '#http/past/revisions.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { table } from '../output.ts'
import { idOf, nearRecord, typeOnce, withSite } from '../site.ts'
import { wholeNumber } from '../values.ts'
import { cell } from '../view.ts'

interface Options {
  limit: string
  page: string
}

export function define(command: Command, act: Act): void {
  command
    .argument('<type>', 'its type')
    .argument('<id>', 'its id')
    .option('--limit <n>', 'how many, at most 100', '20')
    .option('--page <n>', 'which part', '1')
    .addHelpText('after', examples('cms log posts hello-world', 'cms log posts hello-world --limit 100 --json'))
    .addHelpText(
      'after',
      '\nNewest first. TS names a revision for `cms diff` and `cms rollback`; so does the hash of its commit.',
    )
    .action(act((call, type: string, id: string, options: Options) => log(call, type, idOf(id), options)))
}

async function log(call: Call, typeName: string, id: string, options: Options): Promise<Answer> {
  const params = { per_page: String(wholeNumber('--limit', options.limit)), page: String(wholeNumber('--page', options.page)) }
  return withSite(call, async (site) => {
    const type = await typeOnce(site, typeName, id)
    const { data, meta } = await nearRecord(site, type, id, () =>
      site.features.revisions.list(site.access, type.name, id, params),
    )
    if (data.length < meta.total) call.output.say(`${data.length} of ${meta.total}; --limit and --page show the others.`)
    if (meta.total === 0) call.output.say(`${type.name}/${id} has no revision yet.`)
    const rows = data.map(rowOf)
    const text =
      rows.length > 0 ? table([['TS', 'WHEN', 'ACTION', 'BY', 'CHANGED', 'MESSAGE'], ...rows], call.output.columns) : ''
    return { data: JSON.parse(JSON.stringify(data)), text }
  })
}

function rowOf({ ts, created_at, action, author, changed, message, current }: RevisionView): string[] {
  const when = created_at.slice(0, 19).replace('T', ' ')
  const [line = ''] = message.split('\n')
  return [ts, when, `${action}${current ? ' *' : ''}`, author.name, changed ? changed.join(',') : 'unreadable', cell(line)]
}
