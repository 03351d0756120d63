import type { Command } from 'commander'
import { permissionWords } from '#packages/permissions.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { moduleIn, siteModules } from '../modules.ts'
import { table } from '../output.ts'

export function define(command: Command, act: Act): void {
  command
    .argument('<name>', 'the module')
    .option('--readme', 'its readme as well')
    .addHelpText('after', examples('cms module:info contacts', 'cms module:info contacts --readme'))
    .action(act((call, name: string, options: { readme?: boolean }) => info(call, name, options.readme === true)))
}

async function info(call: Call, name: string, withReadme: boolean): Promise<Answer> {
  const { registry } = await siteModules(call)
  const detail = await moduleIn(registry, name)
  const { version, description, author, license, cms, tags, downloads, versions, permissions, deprecated } = detail
  const facts = [
    ['Version', version],
    ['Versions', versions.join(', ')],
    ['Author', author],
    ['Licence', license],
    ['Runs with', `Quire ${cms}`],
    ['Tags', tags.join(', ')],
    ['Downloads', String(downloads)],
    ['Signed', detail.signature === null ? 'no' : 'yes'],
    ...(deprecated === null ? [] : [['Deprecated', deprecated]]),
  ].filter(([, value]) => value !== '')
  const asks = permissions.map((one) => [`  ${permissionWords(one)}`, one])
  const text = [
    `${name}: ${description}`,
    table(facts),
    asks.length > 0 ? `It asks to:\n${table(asks)}` : 'It asks for nothing.',
    ...(withReadme && detail.readme !== '' ? ['', detail.readme] : []),
  ]
  return { data: JSON.parse(JSON.stringify(detail)), text: text.join('\n') }
}
