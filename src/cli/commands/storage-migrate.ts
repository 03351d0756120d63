import { type Command, Option } from 'commander'
import { counted } from '#lib/text/counted.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'

interface Options {
  to: 'postgres' | 'files'
}

/** Milliseconds that an interrupted migration may take to record what it has begun to import. */
const PATIENCE = 30_000

export function define(command: Command, act: Act): void {
  command
    .addOption(
      new Option('--to <place>', 'where to: the database of storage.url, or the folder of the site')
        .choices(['postgres', 'files'])
        .makeOptionMandatory(),
    )
    .option('--force', 'move what is here, though the site was moved elsewhere before')
    .addHelpText('after', examples('cms storage:migrate --to postgres', 'cms storage:migrate --to files'))
    .addHelpText(
      'after',
      '\nIt takes all documents, their history, media and other files, and what is private. Cut short, it goes on when run again. Nothing is written over: where a site is' +
        '\nalready, it ends with exit code 5. What was moved stays as it was, and is marked as moved.',
    )
    .action(act((call, options: Options) => migrate(call, options.to)))
}

async function migrate(call: Call, to: Options['to']): Promise<Answer> {
  call.patience(PATIENCE)
  const begun = performance.now()
  const [{ openMove }, { carry }] = await Promise.all([import('../open/moves.ts'), import('#features/storage/carrying.ts')])
  const progress = call.output.progress('Moving')
  try {
    const { origin, destination, remarks, close } = await openMove(call.directory, call.env, to)
    try {
      for (const remark of remarks) call.output.warn(remark)
      const onProgress = (_: string, done: number, of: number) => progress.step(done, of)
      const done = await carry(origin, destination, { force: call.force, signal: call.signal, onProgress })
      const seconds = Math.round((performance.now() - begun) / 100) / 10
      const records = `${counted(done.documents, 'record')} with ${counted(done.revisions, 'revision')}`
      const more = [
        ...(done.files > 0 ? [counted(done.files, 'file')] : []),
        ...(done.privates > 0 ? [counted(done.privates, 'private document')] : []),
      ]
      const rest = more.length > 0 ? `, ${more.join(' and ')}` : ''
      const next = `Set \`storage.driver: ${to}\` in cms.config.yaml, then start the servers. \`cms storage:verify\` compares the two.`
      return { data: { ...done, seconds }, text: `Moved ${records}${rest} to ${done.to} in ${seconds} s.\n${next}` }
    } finally {
      await close()
    }
  } finally {
    progress.end()
  }
}
