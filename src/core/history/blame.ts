import { Conflict } from '#lib/errors.ts'
import { type Key, keyText } from '../key.ts'

/** The most documents of a batch that a conflict names. */
const MOST = 100

/** A Conflict in a batch over several documents: it says which it is, and `about` has those of all, by the texts of their keys. */
export class BatchConflict extends Conflict {
  readonly about: ReadonlyMap<string, Conflict>

  constructor(about: ReadonlyMap<string, Conflict>) {
    const [[text, first] = []] = about
    super(`${text}: ${first?.message}`, first?.conflict, first?.hint)
    this.about = about
  }
}

/** Collects the conflicts of a batch, so that who sent it is told of all at once. */
export class Blame {
  readonly #batch: readonly unknown[]
  readonly #about = new Map<string, Conflict>()

  constructor(batch: readonly unknown[]) {
    this.#batch = batch
  }

  /** Takes an error in the part of the batch that is about one document. Throws it where it is not to be collected. */
  take({ key }: { readonly key: Key }, error: unknown): void {
    if (this.#batch.length === 1 || !(error instanceof Conflict)) throw error
    this.#about.set(keyText(key), error)
    if (this.#about.size === MOST) this.settle()
  }

  /** Throws BatchConflict if there were conflicts. */
  settle(): void {
    if (this.#about.size > 0) throw new BatchConflict(this.#about)
  }
}
