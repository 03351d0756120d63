import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { SHELLS } from '../completing/scripts.ts'
import { usage } from '../failure.ts'

/** Asks for the words that fit, as the scripts do. */
const WORDS = 'words'

export function define(command: Command, act: Act): void {
  command
    .argument('<shell>', Object.keys(SHELLS).join(', '))
    .argument('[words...]', 'for the script itself: what has been typed, after `words --`')
    .addHelpText(
      'after',
      examples('cms completion bash >> ~/.bashrc', 'cms completion fish > ~/.config/fish/completions/cms.fish'),
    )
    .addHelpText('after', '\nCommands, options, types, ids, statuses and roles are completed, files where nothing else is meant.')
    .action(act(async (call, shell: string, typed: string[]) => completion(call, shell, typed, command.parent)))
}

async function completion(call: Call, shell: string, typed: string[], program: Command | null): Promise<Answer> {
  if (shell === WORDS && program) {
    const { candidates } = await import('../completing/candidates.ts')
    const found = await candidates(call, typed, program)
    return { data: found, text: found.join('\n') }
  }
  const script = SHELLS[shell]
  if (!script) throw usage(`There is no completion for ${shell}.`, `There is one for ${Object.keys(SHELLS).join(', ')}.`)
  return { data: { shell, script }, text: script }
}
