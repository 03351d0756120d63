import { Command, CommanderError, Option } from 'commander'
import { nearest } from '#lib/text/nearest.ts'
import type { Act } from './command.ts'
import { COMMANDS, PLANNED } from './commands.ts'
import { usage } from './failure.ts'

/** A word that may be a command of a module, `contacts:greet`, or the beginning of one. */
const MODULE_COMMAND = /^[a-z0-9][a-z0-9-]{1,63}:[a-z0-9:-]*$/

/** The global flags as commander gives them. */
export interface GlobalFlags {
  directory: string
  json?: boolean
  quiet?: boolean
  verbose?: boolean
  color: boolean
  input: boolean
  yes?: boolean
}

/** The streams that commander writes help and version to. */
export interface HelpStreams {
  out(text: string): void
  err(text: string): void
}

/** The command line's grammar, with the commands named in `argv` loaded and the others as names only. */
export async function buildProgram(argv: readonly string[], version: string, act: Act, streams: HelpStreams): Promise<Command> {
  const program = new Command('cms')
    .description('Quire: a CMS whose database is a folder of Markdown and YAML in git.')
    .version(version, '-V, --version', 'print the version')
    .option('-C, --directory <dir>', 'work as if started in <dir>', '.')
    .option('--json', 'one JSON document on stdout')
    .option('-q, --quiet', 'say only what is asked for, and errors')
    .option('-v, --verbose', 'say more, and show the stack of a bug')
    .option('--no-color', 'no colours (NO_COLOR does the same)')
    .option('--no-input', 'never ask (a set CI does the same)')
    .option('-y, --yes', 'answer yes to questions; a deletion needs --allow-delete')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show help for a command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: streams.out, writeErr: streams.err, outputError: () => undefined })
    .exitOverride()
    .addHelpText(
      'after',
      '\nExamples:\n  $ cms init my-site && cms serve -C my-site\n  $ cms new posts "Hello, world" --field tags=news',
    )
  for (const entry of COMMANDS) {
    const command = program.command(entry.name).summary(entry.summary).description(sentence(entry.summary)).helpGroup(entry.group)
    if (!argv.includes(entry.name)) continue
    ;(await entry.load()).define(command, act)
    // Every command takes it: some have a meaning of their own for it.
    const force = new Option('--force', 'open a site that was moved elsewhere, too').hideHelp()
    if (!command.options.some(({ long }) => long === force.long)) command.addOption(force)
  }
  const word = argv.find((one) => MODULE_COMMAND.test(one) && !COMMANDS.some(({ name }) => name === one) && !PLANNED.has(one))
  if (word !== undefined) {
    const { addModuleCommands } = await import('./module-commands.ts')
    await addModuleCommands(program, word, argv, act)
  }
  return program
}

/** Parses and runs. Resolves with true where only help or the version was asked for; wrong usage throws exit code 2. */
export async function parse(program: Command, argv: readonly string[]): Promise<boolean> {
  try {
    await program.parseAsync(argv, { from: 'user' })
    return false
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return true
    if (error.code === 'commander.help') throw noCommand(program)
    throw wrongUsage(error, program)
  }
}

/** `cms` alone, or `cms help` of what is not there: commander shows the whole help for both. */
function noCommand(program: Command): Error {
  const [first, asked] = program.args
  if (first !== 'help' || asked === undefined)
    return usage(
      'No command was given.',
      'See the commands above; `cms init` begins a site, `cms --version` says which version this is.',
    )
  const near = nearest(
    asked,
    COMMANDS.map(({ name }) => name),
  )
  return notYet(asked) ?? usage(`Unknown command '${asked}'.`, near ? `Did you mean ${near}?` : undefined)
}

function notYet(name: string | undefined): Error | undefined {
  if (name === undefined || !PLANNED.has(name)) return undefined
  return usage(`The command '${name}' is planned, and not built yet.`, '`cms --help` lists those there are.')
}

/** Commander says `error: unknown option '--prot'\n(Did you mean --port?)`; this makes what and how-to-mend of it. */
function wrongUsage(error: CommanderError, program: Command): Error {
  const planned = error.code === 'commander.unknownCommand' ? notYet(program.args[0]) : undefined
  if (planned) return planned
  const [first = '', second] = error.message.replace(/^error: /, '').split('\n')
  const hint = second?.replace(/^\((.*)\)$/, '$1')
  return usage(sentence(first), hint ?? familyHint(error, program) ?? grammarHint(error, commandOf(program)))
}

/** The commands that begin with what was asked for: `token:create` and its like for `token`. */
function familyHint({ code }: CommanderError, program: Command): string | undefined {
  if (code !== 'commander.unknownCommand') return undefined
  const names = program.commands.map((command) => command.name()).filter((name) => name.startsWith(`${program.args[0]}:`))
  return names.length > 0 ? `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}.` : undefined
}

/** The command that was called, where there is one of that name. */
function commandOf(program: Command): Command | undefined {
  return program.commands.find((command) => command.name() === program.args[0])
}

/** Returns a hint on the right usage: the form of the command, its options, or the values of an option. */
function grammarHint({ code, message }: CommanderError, command: Command | undefined): string | undefined {
  const options = [...(command?.options ?? []), ...(command?.parent?.options ?? [])].filter(({ hidden }) => !hidden)
  if (code === 'commander.unknownCommand') return '`cms --help` lists the commands.'
  if (code === 'commander.unknownOption') return `There are ${options.map(({ long }) => long).join(', ')}.`
  if (code === 'commander.optionMissingArgument' || code === 'commander.missingMandatoryOptionValue') {
    const option = options.find(({ flags }) => message.includes(`'${flags}'`))
    return option && `Write ${option.flags}: ${option.description}.`
  }
  if (code === 'commander.invalidArgument' || !command) return undefined
  const quotes = code === 'commander.excessArguments' ? '; what has spaces in it is put in quotes' : ''
  return `Write \`cms ${command.name()} ${command.usage()}\`${quotes}.`
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}
