import type { Command } from 'commander'
import { type Act, type Answer, examples } from '../command.ts'
import { usage } from '../failure.ts'

const SHELLS: Readonly<Record<string, (words: string) => string>> = {
  bash: (words) => `_cms() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "${words}" -- "$word"))
  [ "$COMP_CWORD" -gt 1 ] && COMPREPLY=($(compgen -f -- "$word"))
}
COMP_WORDBREAKS="\${COMP_WORDBREAKS//:/}"
complete -F _cms cms`,
  zsh: (words) => `#compdef cms
_cms() {
  if (( CURRENT == 2 )); then compadd -- ${words}; else _files; fi
}
compdef _cms cms`,
  fish: (words) => `complete -c cms -n __fish_use_subcommand -f -a "${words}"`,
}

export function define(command: Command, act: Act): void {
  command
    .argument('<shell>', Object.keys(SHELLS).join(', '))
    .addHelpText(
      'after',
      examples('cms completion bash >> ~/.bashrc', 'cms completion fish > ~/.config/fish/completions/cms.fish'),
    )
    .action(act(async (_call, shell: string) => completion(shell, command.parent?.commands ?? [])))
}

function completion(shell: string, commands: readonly Command[]): Answer {
  const script = SHELLS[shell]
  if (!script) throw usage(`There is no completion for ${shell}.`, `There is one for ${Object.keys(SHELLS).join(', ')}.`)
  const text = script(commands.map((one) => one.name()).join(' '))
  return { data: { shell, script: text }, text }
}
