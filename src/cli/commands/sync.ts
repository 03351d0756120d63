import { type Command, Option } from 'commander'
import { Conflict } from '#lib/errors.ts'
import { overlapLines } from '../checking/overlaps.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { withSite } from '../site.ts'

interface Options {
  prefer?: 'ours' | 'theirs'
  push: boolean
}

/** A push that has begun is let to end. */
const PATIENCE = 10_000

export function define(command: Command, act: Act): void {
  command
    .addOption(
      new Option('--prefer <side>', 'where both sides changed the same, take this one; the other stays in the history').choices([
        'ours',
        'theirs',
      ]),
    )
    .option('--no-push', 'only bring what the remote has')
    .addHelpText('after', examples('cms sync', 'cms sync --prefer theirs'))
    .addHelpText(
      'after',
      '\nExit code 5: both sides changed the same, or an uncommitted edit is in the way; nothing was changed. 7: the remote or the repository is not ready for it.',
    )
    .action(act((call, options: Options) => sync(call, options)))
}

async function sync(call: Call, { prefer, push }: Options): Promise<Answer> {
  call.patience(PATIENCE)
  return withSite(call, async (site) => {
    const progress = call.output.progress('Syncing')
    try {
      const done = await site.sync({ push, signal: call.signal, ...(prefer && { prefer }) })
      for (const file of done.merged) call.output.say(`Both sides changed ${file}: merged.`)
      for (const file of done.chosen) call.output.say(`Both sides changed the same in ${file}: ${prefer} taken.`)
      const left = done.unpushed > 0 ? `, ${done.unpushed} not pushed` : ''
      const text = `${done.remote}/${done.branch}: ${done.pulled} pulled, ${done.pushed} pushed${left}`
      return { data: { ...done }, text }
    } catch (error) {
      if (error instanceof Conflict && !call.output.options.json) call.output.print(overlapLines(error).join('\n'))
      throw error
    } finally {
      progress.end()
    }
  })
}
