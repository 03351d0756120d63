import { createInterface } from 'node:readline/promises'
import { visible } from '#lib/text/visible.ts'
import type { Call } from './command.ts'

/** Asks on stderr and returns the answer, trimmed. To be called only if `call.interactive`. */
export async function ask(call: Call, question: string): Promise<string> {
  const terminal = createInterface({ input: call.stdin, output: process.stderr })
  try {
    return (await terminal.question(`${visible(question)} `, { signal: call.signal })).trim()
  } finally {
    terminal.close()
  }
}
