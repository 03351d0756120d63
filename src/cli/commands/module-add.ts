import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { moduleIn, mustAgree, noteModule, parted, sayDue, sayPlan, siteModules } from '../modules.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<name[@version]>', 'the module; the newest version where none is named')
    .option('--downgrade', 'take an older version than the one in place')
    .addHelpText('after', examples('cms module:add contacts', 'cms module:add contacts@1.2.0 --downgrade -y'))
    .addHelpText('after', '\nIts size, sha512 and signature are checked before anything is unpacked; nothing of it is run.')
    .action(act((call, name: string, options: { downgrade?: boolean }) => add(call, name, options.downgrade === true)))
}

async function add(call: Call, text: string, isDowngrade: boolean): Promise<Answer> {
  const { name, version } = parted(text)
  const modules = await siteModules(call)
  await moduleIn(modules.registry, name)
  const plan = await modules.plan(name, version, isDowngrade)
  sayPlan(call, plan, modules.keys)
  const { question, done } = wordsOf(name, plan.entry.version, plan.from)
  await mustAgree(call, question)
  await modules.apply(plan)
  await noteModule(call, plan.from === undefined ? 'added' : 'updated', name)
  call.output.say(`${done}: modules/${name} (${plan.files} files).`)
  sayDue(call)
  const data = { name, version: plan.entry.version, from: plan.from ?? null, signer: plan.entry.signer ?? null }
  return { data, text: `modules/${name}` }
}

/** The words before and after. The version that is there is put in place again: its files may be damaged. */
function wordsOf(name: string, version: string, from: string | undefined): { question: string; done: string } {
  if (from === undefined) return { question: `Add ${name}?`, done: `Added ${name} ${version}` }
  if (from === version)
    return { question: `Put ${name} ${version} in place again?`, done: `Put ${name} ${version} in place again` }
  return { question: `Put ${version} in the place of ${from}?`, done: `Updated ${name} ${from} to ${version}` }
}
