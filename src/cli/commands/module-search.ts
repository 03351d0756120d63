import type { Command } from 'commander'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { siteModules } from '../modules.ts'
import { table } from '../output.ts'

interface Options {
  readonly tag?: string
  readonly sort?: string
}

export function define(command: Command, act: Act): void {
  command
    .argument('[words...]', 'words in the name, the description, the author or the tags')
    .option('--tag <tag>', 'those with this tag')
    .option('--sort <order>', 'downloads, updated or name')
    .addHelpText('after', examples('cms module:search form', 'cms module:search --tag maps --sort updated'))
    .action(act((call, words: string[], options: Options) => search(call, words, options)))
}

async function search(call: Call, words: readonly string[], { tag, sort }: Options): Promise<Answer> {
  const { registry } = await siteModules(call)
  const query = { q: words.join(' '), per_page: '100', ...(tag !== undefined && { tag }), ...(sort !== undefined && { sort }) }
  const { modules, total } = await registry.search(query)
  const rows = modules.map(({ name, version, downloads, description }) => [name, version, String(downloads), description])
  const data = { modules: modules.map((one) => ({ ...one, tags: [...one.tags] })), total }
  if (modules.length > 0) return { data, text: table(rows, call.output.columns) }
  return { data, text: '', failed: { exit: 1, message: `${registry.url} has no module that fits.`, hint: 'Use fewer words.' } }
}
