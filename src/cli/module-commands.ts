import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { findSite, loadConfig } from '#config/load.ts'
import type { ModuleCommand } from '#features/modules/module-commands.ts'
import { NotFound } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import type { Act, Answer, Call } from './command.ts'
import { withSite } from './site.ts'

/** The exit codes that a command may have (sysexits and shells use those above). */
const MOST_EXIT = 125

/**
 * Adds the commands of a module to the program, where `word` is one of them or begins as they do. Only that module is loaded; where
 * there is no site, or no such module, nothing is added.
 */
export async function addModuleCommands(program: Command, word: string, argv: readonly string[], act: Act): Promise<void> {
  for (const command of await commandsOf(word.split(':')[0] ?? '', directoryIn(argv))) {
    if (program.commands.some((one) => one.name() === command.name)) continue
    define(program, command, act)
  }
}

async function commandsOf(module: string, directory: string): Promise<ModuleCommand[]> {
  try {
    const loaded = loadConfig(findSite(directory), process.env)
    const [{ modulesOf }, { moduleCommands }] = await Promise.all([
      import('./open/modules.ts'),
      import('#features/modules/module-commands.ts'),
    ])
    const { set, close } = await modulesOf(loaded, join(loaded.root, loaded.config.storage.private_dir), {
      only: module,
      moduleLog: () => undefined,
    })
    close()
    return moduleCommands(set.on)
  } catch {
    // Then the command is unknown, and a command that opens the site says what is wrong with it.
    return []
  }
}

/** The folder of `-C`, which is looked for before the command line is parsed. */
function directoryIn(argv: readonly string[]): string {
  const at = argv.findIndex((word) => word === '-C' || word === '--directory')
  const joined = argv.find((word) => word.startsWith('--directory='))?.slice('--directory='.length)
  return resolve((at >= 0 ? argv[at + 1] : joined) ?? '.')
}

function define(program: Command, { name, module, definition }: ModuleCommand, act: Act): void {
  const { description, arguments: words = [], options = [] } = definition
  const command = program.command(name).summary(description).description(description).helpGroup('Of modules:')
  for (const { name, description = '', required = false } of words)
    command.argument(required ? `<${name}>` : `[${name}]`, description)
  for (const { flags, description } of options) command.option(flags, description)
  command.action(
    act((call, ...given: unknown[]) => {
      // Commander gives the arguments, then the options, then itself.
      const args = given.slice(0, words.length).filter((one) => typeof one === 'string')
      const chosen = given[words.length]
      return run(call, module, name, args, typeof chosen === 'object' && chosen !== null ? (chosen as Record<string, Json>) : {})
    }),
  )
}

async function run(
  call: Call,
  module: string,
  name: string,
  args: readonly string[],
  options: Readonly<Record<string, Json>>,
): Promise<Answer> {
  return withSite(call, async (site) => {
    const { host, lives } = site.features.modules
    const active = host.find(module)
    if (active) await lives.migrated(active)
    const { moduleCommands } = await import('#features/modules/module-commands.ts')
    const command = active?.isOn() ? moduleCommands([active.module]).find((one) => one.name === name) : undefined
    if (!active || !command) throw new NotFound(`The module "${module}" is off.`, '`cms doctor` says why.')
    const results: Json[] = []
    const out = { result: (data: Json) => void results.push(data ?? null), say: (text: string) => call.output.say(String(text)) }
    const exit = await command.definition.run({ args, options, out }, active.context)
    const data = results.length > 1 ? results : (results[0] ?? null)
    const text = results.map((one) => (typeof one === 'string' ? one : JSON.stringify(one, null, 2))).join('\n')
    if (exit === 0) return { data, text }
    const isCode = Number.isInteger(exit) && exit > 0 && exit <= MOST_EXIT
    return {
      data,
      text,
      failed: { exit: isCode ? exit : 1, message: `The command ended with ${isCode ? exit : 'no exit code'}.` },
    }
  })
}
