import type { Document } from '#core/document.ts'
import type { Page } from '#core/queries/query.ts'
import { isHeldForUs, whenDone } from '#git/landing/checkout.ts'
import type { Repository } from '#git/repository.ts'
import { Unavailable } from '#lib/errors.ts'

/** Documents of a page of a list, and how many the page has. */
export interface Listed extends Page<Document> {
  readonly listed: number
}

/** The wish to read files also while another git has locked the index for long: they may be in the middle of a checkout. */
export interface Provisional {
  /** The index that the environment names: git does so for its hooks. */
  readonly indexFile: string | undefined
  /** A callback as that begins. */
  readonly onRead: () => void
}

/** Lookups of documents whose files another git may be changing: one that is missing, or can't be read, may be there in a moment. */
export class Lookups {
  readonly #repository: Repository
  readonly #provisional: Provisional | undefined
  #isProvisional: boolean

  constructor(repository: Repository, provisional: Provisional | undefined) {
    this.#repository = repository
    this.#provisional = provisional
    this.#isProvisional = provisional !== undefined && isHeldForUs(repository, provisional.indexFile)
  }

  /** A document that was found or not; one that was not, or can't be read, is looked up as `whenDone` says. */
  async find(found: Document | undefined, look: () => Document | undefined): Promise<Document | undefined> {
    const isWhole = (one: Document | undefined) => one !== undefined && one.problem?.severity !== 'error'
    return isWhole(found) ? found : this.#whenDone(look, isWhole)
  }

  /** Documents that are listed, and how many there should be; where some were not found they are looked up as `whenDone` says. */
  async findAll(look: () => Listed): Promise<Listed> {
    const isWhole = ({ items, listed }: Listed) => items.length === listed
    const found = look()
    return isWhole(found) ? found : this.#whenDone(look, isWhole)
  }

  async #whenDone<T>(look: () => T, isWhole: (found: T) => boolean): Promise<T> {
    if (this.#isProvisional) return look()
    try {
      return await whenDone(this.#repository, look, isWhole)
    } catch (error) {
      if (!this.#provisional || !(error instanceof Unavailable)) throw error
      // Several may have waited together.
      if (!this.#isProvisional) this.#provisional.onRead()
      this.#isProvisional = true
      return look()
    }
  }
}
