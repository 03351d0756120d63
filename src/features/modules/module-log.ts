import { visible } from '#lib/text/visible.ts'

/** Something that a module said, or that is said of it. */
export interface ModuleLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly module: string
  readonly message: string
  readonly error?: unknown
}

/** Takes note of such a line. */
export type ModuleLog = (line: ModuleLine) => void

const LEVELS = { info: 30, warn: 40, error: 50 } as const satisfies Record<ModuleLine['level'], number>
const LONGEST = 4000

/** Writes each as one line of JSON, in the form of pino's. */
export function moduleLog(stream: { write(line: string): unknown }): ModuleLog {
  return ({ level, module, message, error }) => {
    const line = {
      ...{ level: LEVELS[level], time: Date.now(), pid: process.pid, module, msg: String(message).slice(0, LONGEST) },
      ...(error !== undefined && { err: plainError(error) }),
    }
    stream.write(`${visible(JSON.stringify(line))}\n`)
  }
}

/** Returns the words of anything that was thrown. */
export function wordsOf(error: unknown): string {
  try {
    return (error instanceof Error ? error.message : String(error)).slice(0, LONGEST)
  } catch {
    return 'something that has no words'
  }
}

/** Returns words with a full stop, where nothing ends them. */
export function asSentence(words: string): string {
  return /[.!?…]$/.test(words) ? words : `${words}.`
}

function plainError(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error, message: wordsOf(error) }
  const { name, stack } = error
  return { type: String(name), message: wordsOf(error), stack: String(stack).slice(0, LONGEST) }
}
