import type { Fields } from '#lib/json.ts'

/**
 * A letter that is to be written to somebody. It is kept until it went out, so it holds no secret: a code or a link is made when it is written.
 * `template` is the name of a set of templates of `templates/mail` and says who composes it; `to` is one plain address; `data` is for who composes it.
 */
export interface Message {
  readonly template: string
  readonly to: string
  readonly data: Fields
  /**
   * The time, in milliseconds since 1970, after which the message is of no use and is dropped if it has not been sent. If absent,
   * it is dropped after about a day of trying.
   */
  readonly until?: number
}

/** The content of a message: the values for its templates. */
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
export type Compose = (message: Message) => Promise<Composed | undefined>

/** The queue that messages are posted to. */
export interface Mailer {
  /** Takes a letter: kept when it resolves, and on its way after. Throws InvalidInput for what is not one plain address. */
  send(message: Message): Promise<void>
}
