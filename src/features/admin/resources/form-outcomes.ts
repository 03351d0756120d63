import type { FastifyRequest } from 'fastify'
import type { Version } from '#core/document.ts'
import { Conflict, Failure, type FieldErrors, Forbidden, InvalidInput } from '#lib/errors.ts'
import type { Row, Save } from '../../resource.ts'
import { textOf } from '../requests/sent.ts'

/** A version: that of a file, and of media without one that of its bytes, or none. */
const VERSION = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|none)$/

/** Statuses of a refusal after which the form is shown again, with all that was typed. */
const SHOWN_AGAIN: ReadonlySet<number> = new Set([403, 409, 412, 413, 422, 423, 503])

/** The reason why a form was not taken. */
export interface Refused {
  readonly status: number
  readonly errors: FieldErrors
  readonly message?: string
}

/** Returns the version that a field of a form names; undefined where it names none. */
export function versionIn(request: FastifyRequest, name: string): Version | undefined {
  const text = textOf(request, name)
  return VERSION.test(text) ? text : undefined
}

/** Returns the names of the fields that two edits meet in, where that is why a change was refused. */
export function meetingIn(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Conflict) || !error.conflict || !('theirs' in error.conflict)) return undefined
  return 'fields' in error.conflict && Array.isArray(error.conflict.fields) ? error.conflict.fields.map(String) : []
}

/** Returns the version that a form began from. Throws InvalidInput where it says none. */
export function baseOf(request: FastifyRequest, row: Row): Version | undefined {
  if (row.version === undefined) return undefined
  const base = textOf(request, 'base')
  if (!VERSION.test(base))
    throw new InvalidInput({ base: ['The form does not say which version it began from (base). Open its page again.'] })
  return base
}

/** Returns the way to save that a button names. Throws Forbidden where it is none of these. */
export function saveNamed(saves: readonly Save[], name: string): Save {
  const found =
    name === '' || name === 'save'
      ? (saves.find((save) => save.name === 'save') ?? saves[0])
      : saves.find((save) => save.name === name)
  if (!found)
    throw new Forbidden(
      'You may not save it so: its status was changed meanwhile, or is not yours to change. All you typed is kept if you go back.',
    )
  return found
}

/** Returns the refusal of a form for what is wrong with its fields. */
export function invalid(errors: FieldErrors): Refused {
  return { status: 422, errors }
}

/** Returns why the API's own code refused; throws what is no matter of a form. */
export function refusalOf(error: unknown): Refused {
  if (error instanceof InvalidInput) return invalid(error.errors)
  if (!(error instanceof Failure) || !SHOWN_AGAIN.has(error.status)) throw error
  return { status: error.status, errors: {}, message: error.message }
}

/** Returns the name of the words that the next page begins with. */
export function doneOf(save: Save, row: Row, isNew: boolean): string {
  if (row.status === 'scheduled' && 'status' in save.set) return 'scheduled'
  if (save.isMain && 'status' in save.set && save.label === 'Publish') return 'published'
  if (save.label === 'Unpublish') return 'unpublished'
  return isNew ? 'created' : 'saved'
}

/** Returns the parameter of the next page that says that others had saved since the version `base`, and both are kept. */
export function mergedIn(base: Version | undefined, { version }: Row): string {
  return !base || base === version ? '' : '&merged=true'
}
