import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Conflict, type Mistake, NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { packageRoot } from '#lib/package.ts'
import type { Act, Answer, Call } from './command.ts'
import { COMMANDS } from './commands.ts'
import { EXIT, lines, type Report, reportOf, reportOfEnd } from './failure.ts'
import { Interrupts } from './interrupts.ts'
import { Output } from './output.ts'
import { buildProgram, type GlobalFlags, parse } from './program.ts'

export { Interrupts }

/** The streams and environment of a command line: `process` or a replacement. */
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
  return answer ? finish(answer, output) : EXIT.done
}

function interrupted(code: number, output: Output): number {
  if (output.options.json)
    output.document({ ok: false, error: { code: 'interrupted', message: 'Interrupted.', hint: null, file: null, line: null } })
  else output.say('Stopped.')
  return code
}

/** The end of a command that has an answer. Only exit code 0 is ok: one that found something has its data beside the error. */
function finish({ data, text, failed }: Answer, output: Output): number {
  const warnings = output.warnings().map(plainWarning)
  if (!output.options.json) output.print(text)
  else if (failed) output.document({ ok: false, error: plainError(reportOfEnd(failed)), data, warnings })
  else output.document({ ok: true, data, warnings })
  return failed?.exit ?? EXIT.done
}

function fail(failure: Report, error: unknown, argv: readonly string[], output: Output): number {
  const [what, where, mend] = lines(failure, commandLine(argv))
  if (output.options.json) {
    const { conflict } = error instanceof Conflict ? error : {}
    // What two sides changed is for programs to see too, in the form of the API.
    const details = conflict === undefined ? {} : { conflict: JSON.parse(JSON.stringify(conflict)) }
    const others = failure.others.length > 0 ? { others: failure.others.map(plainWarning) } : {}
    output.document({ ok: false, error: { ...plainError(failure), message: what, ...others, ...details } })
  } else {
    complain(what, where, mend, output)
    for (const other of failure.others) complain(...lines({ ...failure, hint: undefined, ...other }, where), output)
  }
  // What a person can act on needs no stack.
  if (output.options.verbose && failure.exit === EXIT.bug && error instanceof Error) output.complain(error.stack ?? error.message)
  return failure.exit
}

function complain(what: string, where: string, mend: string, output: Output): void {
  output.complain(`${output.paint('red', 'error:')} ${what}`)
  output.complain(`${output.paint('dim', '   at:')} ${where}`)
  output.complain(`${output.paint('dim', '  fix:')} ${mend}`)
}

function plainError({ code, ...mistake }: Report): Fields {
  return { code, ...plainWarning(mistake) }
}

/**
 * The flags that shape the output are read before parsing, since a wrong command line must be reported in the form it asked for.
 */
function outputFor(argv: readonly string[], { stdout, stderr, env }: Surroundings): Output {
  return new Output(stdout, stderr, {
    json: has(argv, '--json') || asksForJson(argv),
    quiet: has(argv, '-q', '--quiet'),
    verbose: has(argv, '-v', '--verbose'),
    color: !has(argv, '--no-color') && !env.NO_COLOR,
  })
}

/** `cms check --format json` is another name for --json. */
function asksForJson(argv: readonly string[]): boolean {
  return has(argv, '--format=json') || (has(argv, '--format') && argv[argv.indexOf('--format') + 1] === 'json')
}

/** Returns whether one of these flags was given. */
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
    onHangup: (work) => interrupts.onHangup(stdin.isTTY === true || output.terminal ? undefined : work),
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

function plainWarning({ message, hint, file, line }: Mistake): Fields {
  return { message, hint: hint ?? null, file: file ?? null, line: line ?? null }
}

function version(): string {
  return JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')).version
}
