import { moduleIn } from '#features/modules/blame.ts'
import { wordsOf } from '#features/modules/module-log.ts'
import type { Call } from '../command.ts'
import type { Quire } from '../open/site.ts'
import { moduleWords } from '../server-log.ts'

/**
 * Lays rejections and exceptions that nobody handles to the module that they came from, as far as that can be told by their stacks:
 * they are logged, and do not end the server. Those of Quire's own do, as ever. Returns what ends the guarding.
 */
export function guardAgainstModules(call: Call, current: () => Quire): () => void {
  const log = moduleWords(call.output, true)
  const seen = new Map<string, string>()
  const blamed = (error: unknown): string | undefined => {
    for (const { name, code } of current().modules.on) if (code !== undefined) seen.set(code, name)
    if (seen.size === 0) return undefined
    // Of what is no error nothing tells where it came from: Quire itself throws none.
    if (!(error instanceof Error)) return 'unknown'
    return moduleIn(
      error.stack,
      [...seen].map(([code, name]) => ({ code, name })),
    )
  }
  const onStray = (error: unknown) => {
    const module = blamed(error)
    if (module === undefined) throw error
    log({ level: 'error', module, message: `It left an error unhandled: ${wordsOf(error)}`, error })
  }
  const onException = (error: Error) => {
    const module = blamed(error)
    if (module === undefined) {
      call.output.complain(error.stack ?? String(error))
      process.exit(70)
    }
    log({ level: 'error', module, message: `It threw where nobody listens: ${wordsOf(error)}`, error })
  }
  process.on('unhandledRejection', onStray)
  process.on('uncaughtException', onException)
  return () => {
    process.off('unhandledRejection', onStray)
    process.off('uncaughtException', onException)
  }
}
