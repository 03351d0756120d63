import type { Author } from '#core/document.ts'
import { ACTIONS, type Action, type RevisionNumber } from '#core/history/revision.ts'
import { oneLine, plainAuthor, plainMessage } from '#core/history/revision-message.ts'

/**
 * The message of a commit: a sentence about its change, and the trailers in which Quire keeps its own data (see
 * git-interpret-trailers).
 */
export interface Message {
  /** Without the trailers. */
  readonly text: string
  readonly number: RevisionNumber | undefined
  readonly action: Action | undefined
  /** See `Note.actions`. */
  readonly actions?: ReadonlyMap<string, Action> | undefined
  readonly request: string | undefined
  /** The key that a record was moved from: `posts/old`. */
  readonly from: string | undefined
}

/** The whole message of a commit of Quire's. */
export function messageText({ text, number, action, actions, request, from }: Message): string {
  const trailers = [
    ...(number === undefined ? [] : [`Cms-Rev: ${number}`]),
    ...(action === undefined ? [] : [`Cms-Action: ${action}`]),
    ...(request === undefined ? [] : [`Cms-Request: ${oneLine(request)}`]),
    ...(from === undefined ? [] : [`Cms-From: ${oneLine(from)}`]),
    ...[...(actions ?? [])].map(([record, own]) => `Cms-Record: ${own} ${oneLine(record)}`),
  ]
  return `${plainMessage(text)}\n\n${trailers.join('\n')}\n`
}

/**
 * Reads a commit's message. Only the last paragraph can hold trailers, and each counts once (of `Cms-Record`, each record's):
 * a message can't bring a second one in.
 */
export function parseMessage(message: string): Message {
  const whole = message.replaceAll('\r\n', '\n').trimEnd()
  const start = whole.lastIndexOf('\n\n')
  const last = whole.slice(start < 0 ? 0 : start + 2)
  const trailers = new Map<string, string>()
  const actions = new Map<string, Action>()
  for (const [, name = '', value = ''] of last.matchAll(TRAILER)) {
    if (name === 'Cms-Record') takeAction(value, actions)
    else if (!trailers.has(name)) trailers.set(name, value)
  }
  const number = trailers.get('Cms-Rev')
  const action = trailers.get('Cms-Action')
  const kept = last.replaceAll(TRAILER_LINE, '').trim()
  const text = [start < 0 ? '' : whole.slice(0, start).trim(), kept].filter((part) => part !== '').join('\n\n')
  return {
    text,
    number: number !== undefined && /^\d{13}$/.test(number) ? Number(number) : undefined,
    action: ACTIONS.find((known) => known === action),
    ...(actions.size > 0 && { actions }),
    request: trailers.get('Cms-Request'),
    from: trailers.get('Cms-From'),
  }
}

/** Reads the action of a single record: `updated posts/hello`. */
function takeAction(value: string, actions: Map<string, Action>): void {
  const end = value.indexOf(' ')
  const action = ACTIONS.find((known) => known === value.slice(0, end))
  const record = value.slice(end + 1)
  if (action && !actions.has(record)) actions.set(record, action)
}

const TRAILER = /^(Cms-[A-Za-z]+): (.*)$/gm
const TRAILER_LINE = /^Cms-[A-Za-z]+: .*\n?/gm

/** `Name <email>` as a commit has it: what would end the name or the line is taken out. */
export function identityText(author: Author): string {
  const { name, email } = plainAuthor(author)
  return `${name} <${email}>`
}
