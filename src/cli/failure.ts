import { BadConfig, BadRequest, Failure, InvalidInput, type Mistake, NoSpace, type Placed } from '#lib/errors.ts'
import type { Failed } from './command.ts'
import { placeOf } from './output.ts'

/** Exit codes of the command line. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  invalid: 3,
  notFound: 4,
  conflict: 5,
  forbidden: 6,
  network: 7,
  bug: 70,
} as const

const CODES: Readonly<Record<number, string>> = {
  1: 'failed',
  2: 'usage',
  3: 'invalid',
  4: 'not_found',
  5: 'conflict',
  6: 'not_allowed',
  7: 'network',
  70: 'bug',
  130: 'interrupted',
  143: 'interrupted',
}

/** A failure as it is reported to people and programs. `code` is the name of the exit code. */
export interface Report {
  exit: number
  code: string
  message: string
  hint: string | undefined
  file: string | undefined
  line: number | undefined
  column: number | undefined
  /** Further problems, if a failure has more than one. */
  others: readonly Mistake[]
  /** The fields that are not valid. */
  fields: readonly string[]
}

/** The command was called wrongly: exit 2. */
export function usage(message: string, hint?: string): BadRequest {
  return new BadRequest(message, hint)
}

/** Throws on what came of reading arguments: what they say wrongly is wrong usage, not content that is not valid. */
export function asUsage(error: unknown): never {
  if (!(error instanceof InvalidInput)) throw error
  const fields = Object.keys(error.errors)
  const known = fields.map((field) => USAGE_HINTS[field]).find((hint) => hint !== undefined)
  throw usage(Object.values(error.errors).flat().join(' '), error.hint ?? known)
}

const REVISIONS = '`cms log <type> <id>` lists the revisions there are.'
const USAGE_HINTS: Readonly<Record<string, string>> = {
  ts: REVISIONS,
  against: REVISIONS,
  email: 'For example: --email ada@example.org',
  password: 'Give another one, such as four or five words in a row.',
  q: 'For example: cms search lighthouse',
}

/** Matches a hint at the end of a message, since HTTP has no other place for it. */
const HINT_WITHIN = /^(.*?[.!?]) ((?:Did you mean|Known are|Presets are|There are|Allowed choices are) .*)$/s

/** Returns the report of a command that ran to its end but failed. */
export function reportOfEnd({ exit, message, hint }: Failed): Report {
  return report(exit, message, hint)
}

/** Returns the report and the exit code of any thrown value. */
export function reportOf(error: unknown): Report {
  if (error instanceof Failure) return ofFailure(error)
  const known = error instanceof Error ? SYSTEM[(error as NodeJS.ErrnoException).code ?? ''] : undefined
  if (known) return report(known.exit, systemMessage(error as NodeJS.ErrnoException, known.says), known.hint)
  return report(
    EXIT.bug,
    `Something went wrong inside Quire: ${error instanceof Error ? error.message : String(error)}`,
    BUG_HINT,
  )
}

/** The three lines of a failure: what, where, how to mend it. `command` stands in where no file is to blame. */
export function lines(failure: Report, command: string): [string, string, string] {
  const place = placeOf(failure)
  return [failure.message, place || command, failure.hint ?? mending(failure, place, command)]
}

/** Returns a hint for a failure without one, by its kind. */
function mending({ exit, fields, message }: Report, place: string, command: string): string {
  if (place !== '') return 'Correct it there, then run the same command again.'
  const [field = ''] = fields
  if (/ can not be set\.$/.test(message)) return `Leave ${field} out.`
  if (/^[a-z]\w*$/i.test(field) && / (?:new|edit)$/.test(command))
    return `Give another value: --field ${field}=…, then run it again.`
  return MENDINGS[exit] ?? `\`${command} --help\` says what it takes.`
}

const MENDINGS: Readonly<Record<number, string>> = {
  [EXIT.failed]: 'Mend that, then run the same command again; `cms doctor` says more.',
  [EXIT.invalid]: 'Correct that, then run the same command again.',
  [EXIT.notFound]: 'Check how it is spelled; `cms list <type>` shows the records there are.',
  [EXIT.conflict]: 'Look at how it is now, then decide whether to run the same command again.',
  [EXIT.forbidden]: 'Ask who runs the site for that right.',
  [EXIT.network]: 'Run it again in a moment; `cms doctor` says more.',
}

const BUG_HINT = 'Run it again with -v and report what it prints; nothing was left half-written.'

const SYSTEM: Readonly<Record<string, { exit: number; says: string; hint: string }>> = {
  EACCES: { exit: EXIT.forbidden, says: 'is not allowed to be read or written', hint: 'Check who owns it and its permissions.' },
  EPERM: { exit: EXIT.forbidden, says: 'is not allowed to be changed', hint: 'Check who owns it and its permissions.' },
  EROFS: { exit: EXIT.forbidden, says: 'is on a file system that is read-only', hint: 'Mount it writable, or work on a copy.' },
  ENOENT: { exit: EXIT.notFound, says: 'is not there', hint: 'Check the path.' },
  ENOTDIR: { exit: EXIT.notFound, says: 'is not a folder', hint: 'Check the path.' },
  EEXIST: { exit: EXIT.conflict, says: 'is there already, as something else', hint: 'Choose another path.' },
  EISDIR: { exit: EXIT.notFound, says: 'is a folder, not a file', hint: 'Check the path.' },
  ENOSPC: { exit: EXIT.failed, says: 'could not be written: the disk is full', hint: 'Free some space; nothing was changed.' },
  EMFILE: { exit: EXIT.failed, says: 'could not be opened: too many open files', hint: 'Raise the limit (`ulimit -n 65536`).' },
  EADDRINUSE: {
    exit: EXIT.network,
    says: 'is taken by another program',
    hint: 'Choose another port: `cms serve --port 3001`, or 0 for any.',
  },
  EADDRNOTAVAIL: { exit: EXIT.network, says: 'is not an address of this machine', hint: 'Use --host 127.0.0.1.' },
  ENOTFOUND: { exit: EXIT.network, says: 'could not be found on the network', hint: 'Check the host name and the connection.' },
  ECONNREFUSED: { exit: EXIT.network, says: 'refused the connection', hint: 'Check that it is running.' },
}

function systemMessage(
  error: NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string; dest?: string },
  says: string,
): string {
  const host = error.address ?? error.hostname
  // A copy fails at what it makes, not at what it reads: the latter is Quire's own.
  const what = error.dest ?? error.path ?? (host ? [host, error.port].filter((part) => part !== undefined).join(':') : 'A file')
  return `${what} ${says}.`
}

function ofFailure(error: Failure & Placed): Report {
  const fields = (error as { errors?: Record<string, string[]> }).errors
  const message = fields ? Object.values(fields).flat().join(' ') || error.message : error.message
  const code = error instanceof BadConfig ? { code: 'configuration' } : {}
  const place = placeOf(error)
  // The place stands on a line of its own here; over HTTP it is part of the message.
  const what = place !== '' && message.startsWith(`${place}: `) ? message.slice(place.length + 2) : message
  const hint = error.hint ?? (error instanceof NoSpace ? 'Free some space, then run the same command again.' : undefined)
  // Over HTTP there is no line for the hint, so some messages end with it.
  const [, first, within] = (hint === undefined ? HINT_WITHIN.exec(what) : undefined) ?? []
  if (first !== undefined) return { ...report(error.exit, first, within), ...code }
  const short = hint !== undefined && what.endsWith(` ${hint}`) ? what.slice(0, -hint.length - 1) : what
  const others = error instanceof BadConfig ? error.others : []
  return {
    ...report(error.exit, short, hint),
    ...code,
    file: error.file,
    line: error.line,
    column: error.column,
    others,
    fields: Object.keys(fields ?? {}),
  }
}

const NOWHERE = { file: undefined, line: undefined, column: undefined, others: [], fields: [] }

function report(exit: number, message: string, hint: string | undefined): Report {
  return { exit, code: CODES[exit] ?? 'failed', message, hint, ...NOWHERE }
}
