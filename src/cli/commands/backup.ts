import { resolve } from 'node:path'
import type { Command } from 'commander'
import { counted } from '#lib/text/counted.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { shownPath } from '../output.ts'

/** The site itself, as what was exported. */
const WHOLE = { kind: 'site', type: 'site', id: null, title: null }

export function define(command: Command, act: Act): void {
  command
    .argument('[file]', 'the archive to write; else one named by the time, in .cms/backups')
    .option('--force', 'write over a file that is there')
    .addHelpText('after', examples('cms backup', 'cms backup /mnt/backups/site.tar.gz --force'))
    .addHelpText('after', '\nIt holds what is private, too: tokens and users. Keep it where only you can read it.')
    .action(act((call, file: string | undefined, options: { force?: boolean }) => backup(call, file, options.force === true)))
}

async function backup(call: Call, file: string | undefined, force: boolean): Promise<Answer> {
  const { backupSite, noteDeed } = await import('../open/moves.ts')
  const progress = call.output.progress('Backing up')
  try {
    const target = file === undefined ? undefined : resolve(call.directory, file)
    const done = await backupSite(call.directory, call.env, { file: target, force, version: call.version, signal: call.signal })
    await noteDeed(call.directory, call.env, { action: 'export.made', target: WHOLE })
    for (const link of done.leftOut)
      call.output.warn({ message: 'A link that leads out of the site is not in the backup.', file: link })
    if (done.isInside)
      call.output.warn({
        message: 'The backup lies in the site, and holds what is private.',
        hint: 'Keep it out of git, or move it elsewhere.',
      })
    const what = `${counted(done.files, 'file')}${done.history ? ' and the history' : ''}, ${Math.ceil(done.size / 1024).toLocaleString('en')} KiB`
    call.output.say(`Backed up ${what}.`)
    return { data: { ...done }, text: shownPath(done.file) }
  } finally {
    progress.end()
  }
}
