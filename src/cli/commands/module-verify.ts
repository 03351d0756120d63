import type { Command } from 'commander'
import { counted } from '#lib/text/counted.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { siteModules } from '../modules.ts'

export function define(command: Command, act: Act): void {
  command
    .addHelpText('after', examples('cms module:verify', 'cms module:verify --json'))
    .addHelpText('after', '\nCompares each file of the modules with modules.lock.yaml; the network is not needed.')
    .action(act(verify))
}

async function verify(call: Call): Promise<Answer> {
  const { checked, problems } = await (await siteModules(call)).verify()
  const text = problems.map(({ name, message }) => `${name}: ${message}`).join('\n')
  const data = { checked, problems: problems.map((one) => ({ ...one })) }
  if (problems.length === 0) {
    call.output.say(`${counted(checked, 'module')} checked: each is what modules.lock.yaml says.`)
    return { data, text: '' }
  }
  const hint = 'See what was changed, or add it again: `cms module:add <name>@<version>`.'
  return {
    data,
    text,
    failed: { exit: 1, message: `${counted(problems.length, 'module')} differ from modules.lock.yaml.`, hint },
  }
}
