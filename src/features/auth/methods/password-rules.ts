import { InvalidInput } from '#lib/errors.ts'
import { type CommonWords, isGuessable } from './guessable.ts'
import { normalised } from './hashing.ts'

const LONGEST = 128

/** The future owner of a password. */
export interface Whose {
  readonly email: string
  readonly name: string
}

/**
 * The rules for passwords (NIST SP 800-63B-4 §3.1.1.2): long enough, and none that attackers try first. There are no rules on
 * which characters to use. Characters are counted by code points, as people count.
 */
export class PasswordRules {
  /** The fewest characters. */
  readonly least: number
  readonly #siteName: string
  #common: Promise<CommonWords> | undefined

  constructor({ least, siteName }: { least: number; siteName: string }) {
    this.least = least
    this.#siteName = siteName
  }

  /** Throws InvalidInput for `password`, saying why, where it may not be theirs. */
  async check(password: string, { email, name }: Whose): Promise<void> {
    const text = normalised(password)
    const { length } = [...text]
    if (length < this.least) throw refused(`The password must have at least ${this.least} characters; spaces count.`)
    if (length > LONGEST) throw refused(`The password may have at most ${LONGEST} characters.`)
    if (/[\p{Cs}\0]/u.test(text)) throw refused('The password is not well-formed text.')
    if (isGuessable(text, await this.#words(), [email, name, this.#siteName])) throw refused(GUESSABLE)
  }

  /** Read when the first password is checked, and kept: it is of no use to who only serves. */
  #words(): Promise<CommonWords> {
    this.#common ??= import('@zxcvbn-ts/language-common')
      .then(({ dictionary }): CommonWords => new Set(dictionary['passwords-common']))
      .catch((error: unknown) => {
        this.#common = undefined
        throw error
      })
    return this.#common
  }
}

const GUESSABLE =
  'The password is easy to guess: it is one that many use, or little more than common words, your name, the site’s name, or keys in a row. Take some words that have nothing to do with one another.'

function refused(message: string): InvalidInput {
  return new InvalidInput({ password: [message] })
}
