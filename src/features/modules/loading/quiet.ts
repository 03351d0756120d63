import { format } from 'node:util'
import { type Blamable, moduleIn } from '../blame.ts'

/** The methods of the console that print on stdout. */
const PRINTING = ['log', 'info', 'debug'] as const

/** That of the process. */
const printer = globalThis.console

type Printing = (typeof PRINTING)[number]

/**
 * Keeps what modules print away from stdout, which carries the results of commands alone: as long as it lasts, the console prints to
 * `said`, with the name of the module where that is known.
 */
export class Quiet {
  readonly #before: readonly (readonly [Printing, Console[Printing]])[]
  readonly #modules: Blamable[] = []

  constructor(said: (module: string, text: string) => void) {
    this.#before = PRINTING.map((name) => [name, printer[name]] as const)
    for (const name of PRINTING)
      printer[name] = (...words: unknown[]) => said(moduleIn(new Error().stack, this.#modules) ?? 'modules', format(...words))
  }

  /** Takes note of a module that is about to be loaded. */
  knows(module: Blamable): void {
    this.#modules.push(module)
  }

  end(): void {
    for (const [name, method] of this.#before) Object.assign(printer, { [name]: method })
  }
}
