import type { AuditEntry, AuditFilter, RequestOrigin } from '#core/audit-log.ts'
import { Slices } from '#lib/concurrency/slices.ts'

const NEWLINE = 10
const ORIGIN = '{"request":'

/**
 * The entries in the lines of a day that hold all of these texts, in the file's order, the same ones twice among them; a line that
 * is none is passed over.
 */
export async function* entriesIn(bytes: Buffer, needles: readonly string[] = []): AsyncGenerator<AuditEntry> {
  for await (const line of linesIn(bytes, needles)) {
    const entry = line.startsWith(ORIGIN) ? undefined : (parsed(line) as AuditEntry | undefined)
    if (entry && typeof entry.id === 'string' && typeof entry.at === 'string' && typeof entry.actor === 'object') yield entry
  }
}

/** The origins of requests in the lines of a day. */
export async function* originsIn(bytes: Buffer): AsyncGenerator<RequestOrigin> {
  for await (const line of linesIn(bytes, [ORIGIN])) {
    const origin = line.startsWith(ORIGIN) ? (parsed(line) as RequestOrigin | undefined) : undefined
    if (origin) yield origin
  }
}

/** Returns texts that the line of an entry holds if it fulfils the conditions: others need not be parsed. */
export function needlesOf({ actor, action, target, outcome }: AuditFilter): string[] {
  return [
    ...(actor === undefined ? [] : [JSON.stringify(actor)]),
    ...(target?.id === undefined ? [] : [JSON.stringify(target.id)]),
    ...(action === undefined ? [] : [JSON.stringify(action)]),
    ...(target === undefined ? [] : [JSON.stringify(target.of)]),
    ...(outcome === undefined ? [] : [JSON.stringify(outcome)]),
  ]
}

async function* linesIn(bytes: Buffer, [first, ...others]: readonly string[]): AsyncGenerator<string> {
  const slices = new Slices()
  for (let at = 0; at < bytes.length; ) {
    if (slices.isOver) await slices.pause()
    const hit = first === undefined ? at : bytes.indexOf(first, at)
    if (hit < 0) return
    const begin = hit === at ? at : bytes.lastIndexOf(NEWLINE, hit) + 1
    const end = bytes.indexOf(NEWLINE, hit)
    // A line without its end was cut short.
    if (end < 0) return
    const line = bytes.toString('utf8', begin, end)
    if (others.every((one) => line.includes(one))) yield line
    at = end + 1
  }
}

function parsed(line: string): unknown {
  try {
    const found: unknown = JSON.parse(line)
    return typeof found === 'object' && found !== null ? found : undefined
  } catch {
    return undefined
  }
}
