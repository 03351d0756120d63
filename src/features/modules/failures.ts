import { Failure, type FieldErrors, Forbidden, InvalidInput, Unauthorized, Unavailable } from '#lib/errors.ts'
import { ModuleError } from '#module/module.ts'
import { wordsOf } from './module-log.ts'

/** Labels of what a module answers with an error, by status. */
const LABELS: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  402: 'Payment required',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition failed',
  413: 'Payload too large',
  415: 'Unsupported media type',
  422: 'Validation failed',
  429: 'Too many requests',
}

/** An error that a module answers a client with. */
class ModuleAnswer extends Failure {
  readonly status: number
  readonly label: string

  constructor(status: number, message: string) {
    super(message)
    this.status = status
    this.label = LABELS[status] ?? 'Bad request'
  }
}

/** Something that a module threw and nobody can act on: the log names the module. */
export class ModuleFault extends Error {
  constructor(module: string, error: unknown) {
    super(`The module "${module}" failed: ${wordsOf(error)}`, { cause: error })
    this.name = 'ModuleFault'
    if (error instanceof Error && typeof error.stack === 'string') this.stack = `${this.message}\n${error.stack}`
  }
}

/** Returns the failure that is answered for what a handler of a module threw. */
export function answerFor(module: string, error: unknown): Error {
  if (isModuleError(error)) return fromModule(module, error)
  // That the module itself lacks a right is no mistake of who called it.
  const isAnswer =
    error instanceof Failure && error.status < 500 && !(error instanceof Forbidden) && !(error instanceof Unauthorized)
  return isAnswer || error instanceof Unavailable ? error : new ModuleFault(module, error)
}

/** A module of another copy of the package has another class of that name. */
function isModuleError(error: unknown): error is ModuleError {
  return error instanceof ModuleError || (error instanceof Error && error.name === 'ModuleError' && 'status' in error)
}

function fromModule(module: string, { status, message, errors }: ModuleError): Error {
  if (status === 503) return new Unavailable(message)
  if (!Number.isInteger(status) || status < 400 || status > 499)
    return new ModuleFault(module, new Error(`A ModuleError has the status ${status}: ${message}`))
  const named = status === 422 ? checkedErrors(errors) : undefined
  return named ? new InvalidInput(named, message) : new ModuleAnswer(status, message)
}

/** Returns messages by field as a module gave them; undefined where they are of another form, or there are none. */
export function checkedErrors(errors: unknown): FieldErrors | undefined {
  if (typeof errors !== 'object' || errors === null || Array.isArray(errors)) return undefined
  const entries = Object.entries(errors).filter(
    ([, messages]) => Array.isArray(messages) && messages.length > 0 && messages.every((message) => typeof message === 'string'),
  )
  return entries.length > 0 ? (Object.fromEntries(entries) as FieldErrors) : undefined
}
