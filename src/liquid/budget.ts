import { isWork, STEPS_BETWEEN_LOOKS, type Work } from './slices.ts'
import { MOST_AT_ONCE, MOST_MADE, MOST_OUTPUT, MOST_STEPS } from './template-bounds.ts'

/** Greatest depth of blocks and partial templates in each other. LiquidJS counts up to ten levels for one of ours. */
const MOST_DEEP = 64

/** Thrown where LiquidJS is to render instead. One object for all, for a stack would cost more than the rendering. */
export const GIVE_UP = new Error('LiquidJS is to render this')

/**
 * The budget of a rendering by closures. It ends no later than the limits of LiquidJS do, and after some milliseconds: what goes
 * over it is rendered by LiquidJS from the start, in slices, with its limits and its errors. Stands in for both limiters of a
 * LiquidJS context.
 */
export class Budget {
  readonly #until: number
  #steps = 0
  #depth = 0
  #made = 0

  constructor(ms: number) {
    this.#until = performance.now() + ms
  }

  /** Counts items and characters that are made, as the memory limit of LiquidJS does. */
  use(count: number): void {
    const made = Number(count)
    if (made > 0) this.#made += made
    if (made > MOST_AT_ONCE || this.#made > MOST_MADE) throw GIVE_UP
  }

  /** Does nothing: time is looked at by steps. */
  check(): void {}

  /** Begins a block or a partial template that is put behind `made`. `leave` ends it. */
  enter(made: string): void {
    this.step()
    if (++this.#depth > MOST_DEEP || made.length > MOST_OUTPUT) throw GIVE_UP
  }

  leave(): void {
    this.#depth--
  }

  /** Counts one more step. */
  step(): void {
    const steps = ++this.#steps
    if (steps > MOST_STEPS || (steps % STEPS_BETWEEN_LOOKS === 0 && performance.now() > this.#until)) throw GIVE_UP
  }

  /** Returns the result of a generator of LiquidJS, which is run; everything else is its own. */
  settled(value: unknown): unknown {
    return isWork(value) ? this.#run(value) : value
  }

  #run(work: Work): unknown {
    const stack: Work[] = []
    for (let next: unknown = work; ; ) {
      const inner = isWork(next) ? next : undefined
      if (inner) {
        if (++this.#depth > MOST_DEEP) throw GIVE_UP
        stack.push(inner)
      }
      const top = stack.at(-1)
      if (!top) return next
      this.step()
      const { done, value } = top.next(inner ? undefined : next)
      if (done === true) {
        stack.pop()
        this.#depth--
      }
      next = value
    }
  }
}
