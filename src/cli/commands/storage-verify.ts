import type { Command } from 'commander'
import type { Comparison, Difference } from '#features/storage/comparing.ts'
import { counted } from '#lib/text/counted.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { EXIT } from '../failure.ts'

const MEND = 'Both were written to since the move: keep to one, and move it again with `cms storage:migrate --force`.'

export function define(command: Command, act: Act): void {
  command
    .addHelpText('after', examples('cms storage:verify', 'cms storage:verify --json'))
    .addHelpText(
      'after',
      '\nEvery document, every revision and every other file is compared with the database of storage.url. Exit code 1: they differ.',
    )
    .action(act((call) => verify(call)))
}

async function verify(call: Call): Promise<Answer> {
  const [{ openBoth }, { compare }] = await Promise.all([import('../open/moves.ts'), import('#features/storage/comparing.ts')])
  const progress = call.output.progress('Comparing')
  try {
    const { files, database, close } = await openBoth(call.directory, call.env)
    try {
      const found = await compare(files, database)
      const data = { ...found, first: found.first.map((one) => ({ ...one })) }
      const what = amounts(found)
      if (found.differences === 0) return { data, text: `The same: ${what}.` }
      const lines = found.first.map(lineOf)
      const more = found.differences > lines.length ? [`… and ${found.differences - lines.length} more`] : []
      const message = `Of ${what} in the files, ${counted(found.differences, 'differs', 'differ')} from the database.`
      return { data, text: [...lines, ...more, message].join('\n'), failed: { exit: EXIT.failed, message, hint: MEND } }
    } finally {
      await close()
    }
  } finally {
    progress.end()
  }
}

function lineOf({ key, what, revision }: Difference): string {
  return `${key} ${what}${revision === undefined ? '' : `, from revision ${revision} on`}`
}

function amounts({ documents, revisions, files }: Comparison): string {
  const [first, second] = [counted(documents, 'document'), counted(revisions, 'revision')]
  return files > 0 ? `${first}, ${second} and ${counted(files, 'other file')}` : `${first} and ${second}`
}
