import { resolve } from 'node:path'
import type { Command } from 'commander'
import { counted } from '#lib/text/counted.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { shownPath } from '../output.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<file>', 'the archive that `cms backup` wrote')
    .argument('[dir]', 'the folder to restore into: an empty one, or one that is not there', '.')
    .addHelpText('after', examples('cms restore site.tar.gz my-site', 'mkdir again && cms restore ../site.tar.gz -C again'))
    .action(act((call, file: string, dir: string) => restore(call, file, dir)))
}

async function restore(call: Call, file: string, dir: string): Promise<Answer> {
  const { restoreSite } = await import('../open/moves.ts')
  const progress = call.output.progress('Restoring')
  try {
    const { root, files, history, createdAt } = await restoreSite(resolve(call.directory, file), resolve(call.directory, dir))
    call.output.say(`Restored ${counted(files, 'file')}${history ? ' and the history' : ''} as they were at ${createdAt}.`)
    return { data: { root, files, history, created_at: createdAt }, text: shownPath(root) }
  } finally {
    progress.end()
  }
}
