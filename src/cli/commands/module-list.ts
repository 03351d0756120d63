import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { siteModules } from '../modules.ts'
import { table } from '../output.ts'

export function define(command: Command, act: Act): void {
  command
    .addHelpText('after', examples('cms module:list', 'cms module:list --json'))
    .addHelpText('after', '\nWhether those that are enabled could be loaded is what `cms doctor` says.')
    .action(act(list))
}

async function list(call: Call): Promise<Answer> {
  const found = await (await siteModules(call)).list()
  const data = found.map(({ name, isEnabled, isShipped, entry, manifest, fault }) => ({
    ...{ name, version: isShipped ? call.version : (manifest?.version ?? entry?.version ?? null), enabled: isEnabled },
    ...{ locked: entry !== undefined, shipped: isShipped },
    ...{ signer: entry?.signer ?? null, registry: entry?.registry ?? null, fault: fault ?? null },
  }))
  if (data.length === 0) call.output.say('There are no modules. `cms module:search` lists those there are to add.')
  const rows = data.map(({ name, version, enabled, locked, shipped, fault }) => [
    ...[name, version ?? '', enabled ? 'enabled' : 'not enabled'],
    ...[shipped ? 'comes with Quire' : locked ? 'locked' : 'of this site', fault ?? ''],
  ])
  return { data, text: table(rows, call.output.columns) }
}
