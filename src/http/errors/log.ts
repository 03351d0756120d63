import { visible } from '#lib/text/visible.ts'

/** Takes note of an error that is no client's fault, with the id of the request it befell. */
export type ErrorLog = (error: unknown, requestId: string) => void

/**
 * Writes each error as one line of JSON, in the form of pino's. A logger of Fastify's own would be made anew for every request,
 * whether or not it fails.
 */
export function errorLog(stream: { write(line: string): unknown }): ErrorLog {
  return (error, requestId) => {
    const { name, message, stack } =
      error instanceof Error ? error : { name: typeof error, message: String(error), stack: undefined }
    const line = {
      level: 50,
      time: Date.now(),
      pid: process.pid,
      requestId,
      msg: 'A request failed',
      err: { type: name, message, stack },
    }
    stream.write(`${visible(JSON.stringify(line))}\n`)
  }
}
