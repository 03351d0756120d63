import type { Fields } from '#lib/json.ts'

/**
 * A letter that is to be written to somebody. It is kept until it went out, so it holds no secret: a code or a link is made when it is written.
 * `template` is the name of a set of templates of `templates/mail` and says who composes it; `to` is one plain address; `data` is for who composes it.
 */
export interface Letter {
  readonly template: string
  readonly to: string
  readonly data: Fields
  /** When it is of no use any more, in milliseconds since 1970: what did not go out before is dropped. Absent: after about a day of trying. */
  readonly until?: number
}

/** What a letter says: what its templates are filled with. */
export interface Composed {
  /** The name to stand beside the address. */
  readonly name?: string
  readonly values: Fields
  /** The one thing that it is written for, a code or a link: shown on the terminal of a server that only this machine reaches and that has no mail server. */
  readonly shown: string
}

/**
 * Makes what a letter says, at the time it is written; undefined where nothing is to be sent (the address is nobody's, or it is too late). It is asked again
 * where the letter could not be handed over: what it made before is then void.
 */
export type Compose = (letter: Letter) => Promise<Composed | undefined>

/** Where letters are posted. */
export interface Post {
  /** Takes a letter: kept when it resolves, and on its way after. Throws InvalidInput for what is not one plain address. */
  send(letter: Letter): Promise<void>
}
