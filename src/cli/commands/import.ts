import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { SOURCES, type Source } from '#features/importing/item.ts'
import { importLines } from '#features/importing/report-lines.ts'
import { counted } from '#lib/text/counted.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { EXIT } from '../failure.ts'
import { importFrom } from '../importing.ts'
import { withSite } from '../site.ts'

interface Options {
  readonly from: Source
  readonly dryRun?: boolean
  readonly fetch?: boolean
}

export function define(command: Command, act: Act): void {
  command
    .argument('<path>', 'the folder of the other site, or its export: WordPress XML, Ghost JSON')
    .addOption(new Option('--from <tool>', 'the tool that it is of').choices(SOURCES).makeOptionMandatory())
    .option('--dry-run', 'say what would be, and write nothing')
    .option('--fetch', 'fetch pictures that lie elsewhere, from public addresses')
    .addHelpText(
      'after',
      examples('cms import --from hugo ../old-site --dry-run', 'cms import --from wordpress export.xml --fetch'),
    )
    .addHelpText(
      'after',
      '\nWhat was not public becomes a draft, or is left out. Run again, it changes nothing, and goes on where it was cut short; what' +
        '\nwas changed here since is kept. Exit code 1: something could not be read; all else is imported.',
    )
    .action(act((call, path: string, options: Options) => run(call, path, options)))
}

async function run(call: Call, path: string, { from, dryRun = false, fetch = false }: Options): Promise<Answer> {
  return withSite(call, async (site) => {
    const report = await importFrom(call, site, { path: resolve(call.directory, path), source: from, dryRun, fetch })
    const { problems } = report
    const message = `${counted(problems.length, 'file')} could not be taken over.`
    const failed = problems.length > 0 ? { exit: EXIT.failed, message, hint: 'All else is imported; each says why.' } : undefined
    return { data: JSON.parse(JSON.stringify(report)), text: importLines(report).join('\n'), failed }
  })
}
