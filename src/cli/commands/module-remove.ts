import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { mustAgree, noteModule, sayDue, siteModules } from '../modules.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<name>', 'the module')
    .addHelpText('after', examples('cms module:remove contacts', 'cms module:remove contacts -y'))
    .addHelpText('after', '\nIts files go; its data and settings stay, and are there again if it is added again.')
    .action(act((call, name: string) => remove(call, name)))
}

async function remove(call: Call, name: string): Promise<Answer> {
  const modules = await siteModules(call)
  await modules.mustBeRemovable(name)
  call.output.say(
    `This takes modules/${name} out of the site. Its data (kinds .${name}-…) and settings stay, and are there again if it is added again.`,
  )
  await mustAgree(call, `Remove ${name}?`)
  await modules.remove(name)
  await noteModule(call, 'removed', name)
  call.output.say(`Removed ${name}.`)
  sayDue(call)
  return { data: { name, removed: true }, text: name }
}
