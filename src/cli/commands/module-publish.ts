import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { CONFIG_FILE, findSite, loadConfig } from '#config/load.ts'
import { BadConfig, Unauthorized } from '#lib/errors.ts'
import { MANIFEST_FILE } from '#packages/manifest.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { usage } from '../failure.ts'
import { hasKey, keyFile, registryAt } from '../modules.ts'

interface Options {
  readonly registry?: string
  readonly repository?: string
  readonly dryRun?: boolean
}

export function define(command: Command, act: Act): void {
  command
    .argument('[dir]', `the folder of the module, with its ${MANIFEST_FILE}`, '.')
    .option('--registry <url>', 'the registry, in place of modules.registry')
    .option('--repository <url>', 'where its source is')
    .option('--dry-run', 'make and check the package, and send nothing')
    .addHelpText('after', examples('CMS_TOKEN=… cms module:publish modules/contacts', 'cms module:publish --dry-run'))
    .addHelpText(
      'after',
      '\nIt is signed with ~/.config/quire/module.key, where `cms module:keygen` made one. A version is never replaced.',
    )
    .action(act((call, dir: string, options: Options) => publish(call, resolve(call.directory, dir), options)))
}

async function publish(call: Call, folder: string, options: Options): Promise<Answer> {
  if (!existsSync(join(folder, MANIFEST_FILE)))
    throw usage(`There is no ${MANIFEST_FILE} in ${folder}.`, 'Name the folder of the module.')
  const [{ packFolder }, { inspect }, { integrityOf, signClaim }] = await Promise.all([
    import('#packages/packing.ts'),
    import('#packages/package.ts'),
    import('#packages/proof.ts'),
  ])
  const tgz = await packFolder(folder)
  const { manifest, files } = await inspect(tgz)
  const { name, version } = manifest
  const integrity = integrityOf(tgz)
  const claim = { name, version, integrity }
  const signature = hasKey(call) ? signClaim(claim, readFileSync(keyFile(call), 'utf8')) : undefined
  call.output.say(
    `${name} ${version}: ${files} files, ${tgz.length.toLocaleString('en')} bytes, ${signature ? 'signed' : 'not signed'}.`,
  )
  if (!signature) call.output.warn({ message: 'It is not signed.', hint: '`cms module:keygen` makes a key.' })
  const data = { name, version, integrity, signed: signature !== undefined, bytes: tgz.length }
  if (options.dryRun) return { data: { ...data, published: false }, text: integrity }
  const registry = await registryAt(options.registry ?? registryOf(call, folder))
  const token = call.env.CMS_TOKEN
  if (!token) throw noToken()
  const { repository } = options
  const body = {
    ...manifest,
    package: tgz.toString('base64'),
    ...(signature && { signature }),
    ...(repository && { repository }),
  }
  await registry.publish(body, token)
  call.output.say(`Published ${name} ${version} at ${registry.url}.`)
  return { data: { ...data, published: true, registry: registry.url }, text: integrity }
}

/** The registry of the site that the folder, or the call, is in. */
function registryOf(call: Call, folder: string): string {
  const { registry } = loadConfig(findSite(existsSync(join(folder, CONFIG_FILE)) ? folder : call.directory), call.env).config
    .modules
  if (registry !== null) return registry
  throw new BadConfig(
    'There is no registry of modules.',
    { file: CONFIG_FILE },
    'Give --registry, or write modules: { registry: https://… }.',
  )
}

function noToken(): Unauthorized {
  const error = new Unauthorized('CMS_TOKEN is not set: publishing needs a token with modules:publish.')
  return Object.assign(error, { hint: 'On the registry: `cms token:create --name modules --scope modules:publish`.' })
}
