import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CONFIG_FILE, findSite, loadConfig } from '#config/load.ts'
import type { ModuleDetail, RegistryClient } from '#features/marketplace/added/registry-client.ts'
import type { Plan, SiteModules } from '#features/marketplace/added/site-modules.ts'
import { type ModuleDeed, moduleTarget } from '#features/marketplace-desk.ts'
import { Failure, NotFound } from '#lib/errors.ts'
import { nearest } from '#lib/text/nearest.ts'
import { SHIPPED } from '#modules/shipped.ts'
import { permissionWords } from '#packages/permissions.ts'
import type { Call } from './command.ts'
import { usage } from './failure.ts'
import { table } from './output.ts'
import { ask } from './prompts.ts'

/** The words that are said before a module is added. */
export const NO_SANDBOX =
  'What it asks for is a guard against mistakes, not a sandbox: a module is code that runs in your server. Add what you trust.'

/** The modules of the site of a call. The site itself is not opened. */
export async function siteModules(call: Call): Promise<SiteModules> {
  const root = findSite(call.directory)
  const { modules } = loadConfig(root, call.env).config
  const { SiteModules } = await import('#features/marketplace/added/site-modules.ts')
  const registry = modules.registry === null ? undefined : await registryAt(modules.registry)
  const shipped = SHIPPED.map(({ name }) => name)
  return new SiteModules({ root, configFile: CONFIG_FILE, registry, keys: modules.signing_keys, version: call.version, shipped })
}

/** The registry at an address. */
export async function registryAt(url: string): Promise<RegistryClient> {
  const { RegistryClient } = await import('#features/marketplace/added/registry-client.ts')
  return new RegistryClient(url)
}

/** One module of a registry. Throws NotFound, with the nearest name that there is. */
export async function moduleIn(registry: RegistryClient, name: string): Promise<ModuleDetail> {
  try {
    return await registry.get(name)
  } catch (error) {
    if (!(error instanceof NotFound) || error.hint !== undefined) throw error
    const { modules } = await registry.search({ per_page: '100' })
    const near = nearest(
      name,
      modules.map((one) => one.name),
    )
    throw new NotFound(`There is no module "${name}" in ${registry.url}.`, near ? `Did you mean ${near}?` : SEARCHING)
  }
}

const SEARCHING = '`cms module:search` lists those there are.'

/** Parts `contacts@1.2.0` into name and version. */
export function parted(text: string): { readonly name: string; readonly version: string | undefined } {
  const at = text.indexOf('@')
  if (at < 0) return { name: text, version: undefined }
  if (at === 0 || at === text.length - 1) throw usage(`"${text}" names no version.`, 'Write contacts, or contacts@1.2.0.')
  return { name: text.slice(0, at), version: text.slice(at + 1) }
}

/** Says what a module is, what it may do, and what proves it. */
export function sayPlan(call: Call, plan: Plan, keys: number): void {
  const { manifest, changes, from, entry, deprecated, isWithdrawn } = plan
  const { output } = call
  output.say(`${output.paint('bold', `${manifest.name} ${manifest.version}`)}${from ? `, in place of ${from}` : ''}`)
  if (manifest.description) output.say(manifest.description)
  output.say(
    `${manifest.author ? `By ${manifest.author}.` : 'No author is named.'} ${manifest.license ? `Licence: ${manifest.license}.` : 'No licence is named.'}`,
  )
  output.say(from === undefined ? 'It asks to:' : 'What it asks for changes so:')
  const rows =
    from === undefined
      ? manifest.permissions.map((one) => [`  ${permissionWords(one)}`, one])
      : [
          ...changes.added.map((one) => [`  + ${permissionWords(one)}`, one]),
          ...changes.dropped.map((one) => [`  - ${permissionWords(one)}`, one]),
        ]
  output.say(rows.length > 0 ? table(rows) : '  nothing')
  if (entry.signer) output.say(`Signed by ${entry.signer}, a key that is trusted here.`)
  else if (keys === 0) output.say('Its signature was not checked: modules.signing_keys names no key.')
  if (deprecated) output.warn({ message: `${manifest.name} should not be used any more: ${deprecated}` })
  if (isWithdrawn) output.warn({ message: `${manifest.name} ${manifest.version} was withdrawn by its author.` })
  output.say(NO_SANDBOX)
}

/** Asks whether to go on; -y says yes. Throws where nobody can be asked. */
export async function mustAgree(call: Call, question: string): Promise<void> {
  if (call.yes) return
  if (!call.interactive) throw usage('Nothing was done: nobody could be asked.', 'Say -y to go on without a question.')
  if (!/^y(?:es)?$/i.test(await ask(call, `${question} [y/N]`))) throw usage('Nothing was done.', 'Answer y to go on.')
}

/** Notes in the audit log what was done to a module of the site; warns where that can't be: it is done. */
export async function noteModule({ directory, env, output }: Call, deed: ModuleDeed, name: string): Promise<void> {
  const { noteDeed } = await import('./open/moves.ts')
  try {
    await noteDeed(directory, env, { action: `module.${deed}`, target: moduleTarget(name) })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    output.warn({ message: `The audit log does not tell that ${name} was ${deed}: ${error.message}` })
  }
}

/** Says when what was done begins to count. */
export function sayDue(call: Call): void {
  call.output.say(
    'A server that runs takes it up when it is restarted, or gets SIGHUP. Commit modules/, modules.lock.yaml and the configuration.',
  )
}

/** The file of the private key that publications are signed with. */
export function keyFile({ env }: Call): string {
  return join(env.HOME || homedir(), '.config', 'quire', 'module.key')
}

/** Returns whether that file is there. */
export function hasKey(call: Call): boolean {
  return existsSync(keyFile(call))
}
