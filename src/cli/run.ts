import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Conflict, NotFound } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { packageRoot } from '../lib/package.ts'
import type { Act, Answer, Call } from './command.ts'
import { COMMANDS } from './commands.ts'
import { EXIT, lines, type Report, reportOf } from './failure.ts'
import { Interrupts } from './interrupts.ts'
import { Output, type Warning } from './output.ts'
import { buildProgram, type GlobalFlags, parse } from './program.ts'

export { Interrupts }

/** What a command line hears, speaks by, and is set by: `process`, or what stands for it. */
export type Surroundings = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>

/** Runs the command line and ends the process with its exit code. `argv` is what follows the program's name. */
export async function main(argv: readonly string[]): Promise<void> {
  process.exit(await run(argv, process, new Interrupts((code) => process.exit(code))))
}

/** Runs the command line, and resolves with its exit code when all its words are out. */
export async function run(argv: readonly string[], around: Surroundings, interrupts: Interrupts): Promise<number> {
  const output = outputFor(argv, around)
  const code = await carryOut(argv, around, output, interrupts)
  await output.flush()
  return code
}

async function carryOut(argv: readonly string[], around: Surroundings, output: Output, interrupts: Interrupts): Promise<number> {
  let answer: Answer | undefined
  const streams = {
    out: (text: string) =>
      output.options.json ? output.document({ ok: true, data: { text }, warnings: [] }) : output.print(text),
    err: (text: string) => output.complain(text.trimEnd()),
  }
  const act: Act =
    (work) =>
    async (...args) => {
      answer = await work(callFor(program.opts<GlobalFlags>(), has(argv, '--force'), around, output, interrupts), ...args)
    }
  const program = await buildProgram(argv, version(), act, streams)
  try {
    await parse(program, argv)
  } catch (error) {
    return interrupts.code === undefined ? fail(reportOf(error), error, argv, output) : interrupted(interrupts.code, output)
  }
  if (interrupts.code !== undefined) return interrupted(interrupts.code, output)
  return answer ? succeed(answer, output) : EXIT.done
}

function interrupted(code: number, output: Output): number {
  if (output.options.json)
    output.document({ ok: false, error: { code: 'interrupted', message: 'Interrupted.', hint: null, file: null, line: null } })
  else output.say('Stopped.')
  return code
}

function succeed(answer: Answer, output: Output): number {
  if (output.options.json) output.document({ ok: true, data: answer.data, warnings: output.warnings().map(plainWarning) })
  else output.print(answer.text)
  return answer.exit ?? EXIT.done
}

function fail(failure: Report, error: unknown, argv: readonly string[], output: Output): number {
  const [what, where, mend] = lines(failure, commandLine(argv))
  if (output.options.json) {
    const { code, hint = null, file = null, line = null } = failure
    const { conflict } = error instanceof Conflict ? error : {}
    // What two sides changed is for programs to see too, in the form of the API.
    const details = conflict === undefined ? {} : { conflict: JSON.parse(JSON.stringify(conflict)) }
    output.document({ ok: false, error: { code, message: what, hint, file, line, ...details } })
  } else {
    output.complain(`${output.paint('red', 'error:')} ${what}`)
    output.complain(`${output.paint('dim', '   at:')} ${where}`)
    output.complain(`${output.paint('dim', '  fix:')} ${mend}`)
  }
  if (output.options.verbose && error instanceof Error) output.complain(error.stack ?? error.message)
  return failure.exit
}

/** The flags that shape the output are read before parsing, since a wrong command line must be reported in the form it asked for. */
function outputFor(argv: readonly string[], { stdout, stderr, env }: Surroundings): Output {
  return new Output(stdout, stderr, {
    json: has(argv, '--json'),
    quiet: has(argv, '-q', '--quiet'),
    verbose: has(argv, '-v', '--verbose'),
    color: !has(argv, '--no-color') && !env.NO_COLOR,
  })
}

/** Whether one of these flags was given. */
function has(argv: readonly string[], ...names: string[]): boolean {
  const end = argv.indexOf('--')
  const flags = end === -1 ? argv : argv.slice(0, end)
  return names.some((name) => flags.includes(name))
}

function callFor(flags: GlobalFlags, force: boolean, { env, stdin }: Surroundings, output: Output, interrupts: Interrupts): Call {
  const terminal = stdin.isTTY === true && output.terminal
  return {
    directory: folder(flags.directory),
    output,
    env,
    stdin,
    interactive: terminal && flags.input && !env.CI && !output.options.json,
    yes: flags.yes === true,
    force,
    signal: interrupts.signal,
    version: version(),
    patience: (ms) => interrupts.patience(ms),
    yieldTerminal: (work) => interrupts.yieldTerminal(work),
  }
}

function folder(path: string): string {
  const whole = resolve(path)
  if (statSync(whole, { throwIfNoEntry: false })?.isDirectory()) return whole
  throw new NotFound(`There is no folder ${path}.`, 'Check the path given with -C.')
}

/** `cms list` of `cms -q list posts`, to say where a failure arose that no file is to blame for. */
function commandLine(argv: readonly string[]): string {
  const name = argv.find((word) => COMMANDS.some((command) => command.name === word))
  return name ? `cms ${name}` : 'cms'
}

function plainWarning({ message, hint = null, file = null, line = null }: Nullable<Warning>): Json {
  return { message: message ?? '', hint, file, line }
}

type Nullable<T> = { [K in keyof T]: T[K] | null }

function version(): string {
  return JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')).version
}
