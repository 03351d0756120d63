import { idOf, type Layout } from './site.ts'

const WRITES_A_MINUTE = 1_000

/** Changes one record of a site after the other over the API, at a steady pace. */
export class Writer {
  readonly #url: string
  readonly #token: string
  readonly #under = new Set<Promise<unknown>>()
  readonly #layout: Layout
  #timer: NodeJS.Timeout | undefined
  #next = 0
  #written = 0

  constructor(url: string, token: string, layout: Layout) {
    this.#layout = layout
    this.#url = url
    this.#token = token
  }

  begin(): void {
    this.#written = 0
    this.#timer = setInterval(() => this.#write(), 60_000 / WRITES_A_MINUTE)
  }

  /** Ends, and resolves with how many records were changed since it began. */
  async end(): Promise<number> {
    clearInterval(this.#timer)
    await Promise.all(this.#under)
    return this.#written
  }

  #write(): void {
    const n = this.#next++
    const writing = fetch(`${this.#url}/api/cms/posts/${idOf((n * 7919) % this.#layout.records, this.#layout)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: `Changed ${n}` }),
    }).then(async (answer) => {
      await answer.text()
      if (answer.ok) this.#written++
    })
    this.#under.add(writing)
    void writing.finally(() => this.#under.delete(writing))
  }
}
