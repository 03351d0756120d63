import { type ModuleLog, moduleLog } from '#features/modules/module-log.ts'
import { type ErrorLog, errorLog } from '#http/errors/log.ts'
import { Failure } from '#lib/errors.ts'
import { visible } from '#lib/text/visible.ts'
import { reportOf } from './failure.ts'
import { type Output, placeOf } from './output.ts'

/** Takes note of requests that failed: a line to read on a terminal, with the stack of what is a bug; JSON lines elsewhere. */
export function serverLog(output: Output): ErrorLog {
  if (!output.terminal || output.options.json) return errorLog({ write: (line) => output.complain(line.trimEnd()) })
  return (error, requestId) => {
    const { message, hint, ...at } = reportOf(error)
    const isKnown = error instanceof Failure
    const place = placeOf(at)
    const words = [place && `${place}:`, message, isKnown ? hint : `(request ${requestId})`].filter((part) => part)
    output.complain(`${output.paint('red', 'error:')} ${words.join(' ')}`)
    if (error instanceof Error && (!isKnown || output.options.verbose)) output.complain(error.stack ?? error.message)
  }
}

/** Takes note of syncs that fail, and work again: lines to read on a terminal, JSON lines elsewhere. */
export function syncWords(output: Output): (error: Error | undefined) => void {
  return (error) => {
    const { message, hint } = error ? reportOf(error) : { message: 'Syncs with the remote work again.' }
    const text = [message, hint].filter((part) => part).join(' ')
    if (output.terminal && !output.options.json)
      return output.complain(error ? `${output.paint('yellow', 'sync:')} ${text}` : text)
    const line = {
      level: error ? 40 : 30,
      time: Date.now(),
      pid: process.pid,
      msg: error ? 'A sync failed' : text,
      reason: error && text,
    }
    output.complain(visible(JSON.stringify(line)))
  }
}

/** Takes note of what modules say: lines to read on a terminal, JSON lines elsewhere; of a command, what went wrong alone. */
export function moduleWords(output: Output, isServer: boolean): ModuleLog {
  const plain = moduleLog({ write: (line) => output.complain(line.trimEnd()) })
  return (line) => {
    const { level, module, message, error } = line
    if (level === 'info' && !isServer) return output.detail(`${module}: ${message}`)
    if (!output.terminal || output.options.json) return plain(line)
    if (level === 'info') return output.say(`${module}: ${message}`)
    output.complain(`${output.paint(level === 'error' ? 'red' : 'yellow', `module ${module}:`)} ${message}`)
    if (output.options.verbose && error instanceof Error) output.complain(error.stack ?? error.message)
  }
}
