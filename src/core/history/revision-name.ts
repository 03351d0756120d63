import { InvalidInput, NotFound } from '#lib/errors.ts'
import { instantFault } from '../types/values.ts'
import type { Revision } from './revision.ts'

/** A name of a revision in a request: its number, an instant (both milliseconds since 1970), or the full hash of its commit. */
export type RevisionName = { readonly number: number } | { readonly instant: number } | { readonly commit: string }

/** Of a revision what it can be named by. */
type Named = Pick<Revision, 'number' | 'at' | 'commit'>

const NUMBER = /^\d{13}$/
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i
const DAY_ALONE = 10

/**
 * Reads 13 digits, an RFC 3339 date and time or a full commit hash; throws InvalidInput for `parameter` where it is none of them.
 */
export function parseRevisionName(parameter: string, text: string): RevisionName {
  if (NUMBER.test(text)) return { number: Number(text) }
  if (COMMIT.test(text)) return { commit: text.toLowerCase() }
  if (text.length > DAY_ALONE && instantFault(text) === undefined) return { instant: Date.parse(text) }
  const forms = '13 digits (milliseconds since 1970), an RFC 3339 date and time, or a full commit hash'
  throw new InvalidInput({ [parameter]: [`The ${parameter} must be ${forms}.`] })
}

/**
 * Finds the revision that a parameter names among those a reader may see; throws InvalidInput for an invalid name, NotFound if none
 * has it.
 */
export function mustFindRevision<R extends Named>(revisions: readonly R[], parameter: string, text: string): R {
  const revision = revisionNamed(revisions, parseRevisionName(parameter, text))
  if (!revision) throw new NotFound('The revision was not found.', '`cms log` lists those there are.')
  return revision
}

/** The error where no revisions are kept. */
export function noHistory(): NotFound {
  return new NotFound('Revisions need git.', '`cms init` makes a repository; what is saved from then on is kept.')
}

/** The revision of that name among those of a record, newest first; undefined where none has it. */
export function revisionNamed<R extends Named>(revisions: readonly R[], name: RevisionName): R | undefined {
  if ('commit' in name) return revisions.find(({ commit }) => commit === name.commit)
  if ('number' in name) return revisions.find(({ number }) => number === name.number)
  const { instant } = name
  return revisions.find(({ number }) => number === instant) ?? revisions.find(({ at }) => Date.parse(at) === instant)
}

/**
 * The revision that was the newest at a time: what a hash names, the one of just that number, else the first of the list not
 * after it.
 */
export function revisionAsOf<R extends Named>(revisions: readonly R[], name: RevisionName): R | undefined {
  const named = revisionNamed(revisions, name)
  if (named || 'commit' in name) return named
  const time = 'number' in name ? name.number : name.instant
  return revisions.find(({ number, at }) => number <= time || Date.parse(at) <= time)
}

/** The time that a name stands for, in milliseconds since 1970; a hash names none, and the revision's own counts. */
export function timeNamed(name: RevisionName): number {
  if ('commit' in name) return Number.NEGATIVE_INFINITY
  return 'number' in name ? name.number : name.instant
}

/** A revision's number as requests and answers write it: 13 digits. */
export function revisionText({ number }: Pick<Revision, 'number'>): string {
  return String(number).padStart(13, '0')
}
