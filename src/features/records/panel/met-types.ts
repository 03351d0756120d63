import type { Store } from '#core/store.ts'
import type { ContentType } from '#core/types/content-type.ts'

/** Knows which types there are or were since the process began: when the last record of an undeclared one is deleted, its pages lead on. */
export class MetTypes {
  readonly #store: Pick<Store, 'kinds'>
  readonly #names = new Set<string>()

  constructor(store: Pick<Store, 'kinds'>) {
    this.#store = store
  }

  /** Resolves with whether a type is declared, or there is or was something of it. */
  async has({ name, declared }: ContentType): Promise<boolean> {
    if (declared || this.#names.has(name)) return true
    if (!(await this.#store.kinds()).includes(name)) return false
    this.#names.add(name)
    return true
  }
}
