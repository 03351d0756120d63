const EXITS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

type Signal = keyof typeof EXITS

/** Handles signals: the first asks the command to end and gives it a moment, the second ends the process at once. */
export class Interrupts {
  readonly #controller = new AbortController()
  readonly #exit: (code: number) => void
  #code: number | undefined
  #patience = 2000
  #yielded = false
  #hangup: (() => void) | undefined

  constructor(exit: (code: number) => void) {
    this.#exit = exit
    for (const name of Object.keys(EXITS) as Signal[]) process.on(name, () => this.#heard(name))
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** 130, 143 or 129 once interrupted, as shells have it. */
  get code(): number | undefined {
    return this.#code
  }

  /** Sets the time in milliseconds that the command may take to end. */
  patience(ms: number): void {
    this.#patience = ms
  }

  /** Has SIGHUP do something else than end the command, from now on; undefined has it end it again. */
  onHangup(work: (() => void) | undefined): void {
    this.#hangup = work
  }

  /** Ignores signals while a child process has the terminal: it gets them too, and they are meant for it. */
  async yieldTerminal<T>(work: () => Promise<T>): Promise<T> {
    this.#yielded = true
    try {
      return await work()
    } finally {
      this.#yielded = false
    }
  }

  #heard(name: Signal): void {
    if (this.#yielded && name === 'SIGINT') return
    if (name === 'SIGHUP' && this.#hangup && this.#code === undefined) {
      this.#hangup()
      return
    }
    if (this.#code !== undefined) {
      this.#exit(this.#code)
      return
    }
    const code = EXITS[name]
    this.#code = code
    setTimeout(() => this.#exit(code), this.#patience).unref()
    this.#controller.abort()
  }
}
