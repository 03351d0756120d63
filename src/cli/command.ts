import type { Command } from 'commander'
import type { Json } from '#lib/json.ts'
import type { Output } from './output.ts'

/** One run of one command: where it was called and how it may speak. */
export interface Call {
  /** The folder of -C, else the working directory; absolute. */
  readonly directory: string
  readonly output: Output
  readonly env: NodeJS.ProcessEnv
  readonly stdin: NodeJS.ReadStream
  /** True if the command may prompt: stdin and stderr are terminals, and neither CI, --no-input nor --json is set. */
  readonly interactive: boolean
  /** -y: questions are answered with yes, those before a deletion excepted. */
  readonly yes: boolean
  /** --force: what is in the way is no reason to stop. */
  readonly force: boolean
  /** Aborted by SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal
  readonly version: string
  /** Sets the time in milliseconds that the command may take to end once interrupted. */
  patience(ms: number): void
  /** Has SIGHUP do something else than end the command. On a terminal it ends it all the same: that is gone, then. */
  onHangup(work: (() => void) | undefined): void
  /** Runs `work` while interrupts go to a child process that has the terminal, such as an editor. */
  yieldTerminal<T>(work: () => Promise<T>): Promise<T>
}

/** The result of a command: `data` for --json, `text` for people ('' for nothing to show). */
export interface Answer {
  readonly data: Json
  readonly text: string
  /** The exit code and the reason in a sentence. Set if the exit code isn't 0. */
  readonly failed?: Failed | undefined
}

/** The reason why a command that ran to its end failed or found something. `hint` says how to fix it. */
export interface Failed {
  readonly exit: number
  readonly message: string
  readonly hint?: string
}

/** Wraps a command's work for commander. A command that has printed its result itself resolves with undefined. */
export type Act = <A extends unknown[]>(
  work: (call: Call, ...args: A) => Promise<Answer | undefined>,
) => (...args: A) => Promise<void>

/**
 * The exports of each file under `commands/`. They define the command's arguments and options for commander. The dependencies of
 * a command are imported when it runs.
 */
export interface CommandModule {
  define(command: Command, act: Act): void
}

/** Two examples or more for the end of a command's --help. */
export function examples(...commands: string[]): string {
  return `\nExamples:\n${commands.map((line) => `  $ ${line}`).join('\n')}`
}

/** Gathers a repeatable option, with commas in its values splitting them. */
export function collect(value: string, before: string[] = []): string[] {
  return [
    ...before,
    ...value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ]
}

/** Gathers a repeatable option whose values may hold commas. */
export function gather(value: string, before: string[] = []): string[] {
  return [...before, value]
}
