import type { Command } from 'commander'
import { NotFound } from '#lib/errors.ts'
import { compareVersions } from '#packages/versions.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { mustAgree, noteModule, sayDue, sayPlan, siteModules } from '../modules.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('[names...]', 'the modules; all that were added from a registry where none is named')
    .addHelpText('after', examples('cms module:update', 'cms module:update contacts -y'))
    .action(act((call, names: string[]) => update(call, names)))
}

async function update(call: Call, names: readonly string[]): Promise<Answer> {
  const modules = await siteModules(call)
  const there = (await modules.list()).filter(({ entry }) => entry !== undefined)
  const unknown = names.find((name) => !there.some((one) => one.name === name))
  if (unknown !== undefined)
    throw new NotFound(`No module "${unknown}" was added from a registry.`, '`cms module:list` shows those there are.')
  const updated: { name: string; from: string; version: string }[] = []
  for (const { name, entry } of there.filter((one) => names.length === 0 || names.includes(one.name))) {
    const { version } = await modules.registry.get(name)
    if (!entry || compareVersions(version, entry.version) <= 0) continue
    const plan = await modules.plan(name)
    sayPlan(call, plan, modules.keys)
    await mustAgree(call, `Put ${version} in the place of ${entry.version}?`)
    await modules.apply(plan)
    await noteModule(call, 'updated', name)
    updated.push({ name, from: entry.version, version })
  }
  if (updated.length > 0) sayDue(call)
  else call.output.say('Everything is up to date.')
  return { data: { updated }, text: updated.map(({ name, from, version }) => `${name} ${from} → ${version}`).join('\n') }
}
