import { plainAddress } from '#core/address.ts'
import { composed } from '#lib/text/normal-form.ts'
import type { Person } from './provider.ts'

/** OpenID Connect Core §2: a subject has 255 characters at most. */
const LONGEST_SUBJECT = 255
const LONGEST_NAME = 100

/**
 * Returns the person that a provider describes. `email` is set if the provider confirms that it is theirs. Undefined without a
 * subject.
 */
export function personOf(subject: unknown, email: unknown, name: unknown): Person | undefined {
  const id = subjectOf(subject)
  if (id === undefined) return undefined
  return { subject: id, email: typeof email === 'string' ? plainAddress(email) : undefined, name: nameOf(name) }
}

/** Reads the subject. A number that JSON can't hold exactly may be read as another user's, and is refused. */
function subjectOf(subject: unknown): string | undefined {
  if (typeof subject === 'number') return Number.isSafeInteger(subject) ? String(subject) : undefined
  return typeof subject === 'string' && subject !== '' && subject.length <= LONGEST_SUBJECT ? subject : undefined
}

/** Limits a name, since it may come into author lines of commits and headers of messages. */
function nameOf(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  const plain = composed(name)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}<>]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  // Cut between characters, though counted as users' names are.
  return plain === ''
    ? undefined
    : plain
        .slice(0, LONGEST_NAME)
        .replace(/\p{Cs}$/u, '')
        .trim()
}
