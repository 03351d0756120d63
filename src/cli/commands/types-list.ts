import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { table } from '../output.ts'
import { withSite } from '../site.ts'

export function define(command: Command, act: Act): void {
  command.addHelpText('after', examples('cms types:list', 'cms types:list --json')).action(act((call) => typesList(call)))
}

async function typesList(call: Call): Promise<Answer> {
  return withSite(call, async (site) => {
    const kinds = (await site.store.kinds()).filter((kind) => site.types.get(kind) && !kind.includes('/'))
    const names = new Set([...site.types.declared().map((type) => type.name), ...kinds])
    const types = await Promise.all([...names].sort().map((name) => describe(site, name)))
    const rows = types.map(({ name, label, records, declared, permalink }) => [
      name,
      label,
      String(records),
      declared ? 'declared' : 'from its folder',
      permalink ?? 'no page',
    ])
    return { data: types, text: table([['TYPE', 'LABEL', 'RECORDS', 'SCHEMA', 'PERMALINK'], ...rows]) }
  })
}

async function describe(site: Parameters<Parameters<typeof withSite>[1]>[0], name: string) {
  const type = site.types.get(name)
  const { total } = await site.store.heads(name, { limit: 0 })
  return {
    name,
    label: type?.label ?? name,
    records: total,
    declared: type?.declared === true,
    permalink: type?.permalink ?? null,
  }
}
