import type { Arrival } from './out-arrival.ts'
import { streamTo } from './out-bytes.ts'

/** Takes in the output of a build that only says what it would write: nothing is kept, and nothing is put in place. */
export class Trial implements Arrival {
  readonly #files = new Set<string>()

  get files(): ReadonlySet<string> {
    return this.#files
  }

  readonly made = undefined

  note(file: string): void {
    this.#files.add(file)
  }

  async copy(file: string, content: AsyncIterable<Buffer>): Promise<{ path: undefined; print: string }> {
    const print = await streamTo(content, undefined)
    this.#files.add(file)
    return { path: undefined, print }
  }

  land(): void {}

  discard(): void {}
}
