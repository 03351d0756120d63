import { isWork, STEPS_BETWEEN_LOOKS, type Work } from './slices.ts'
import { MOST_AT_ONCE, MOST_MADE, MOST_OUTPUT, MOST_STEPS } from './template-bounds.ts'

/** Greatest depth of blocks and partial templates in each other. LiquidJS counts up to ten levels for one of ours. */
const MOST_DEEP = 64

/** Thrown where LiquidJS is to render instead. One object for all, for a stack would cost more than the rendering. */
export const GIVE_UP = new Error('LiquidJS is to render this')

/** A property as it was before a template changed it. */
interface Changed {
  readonly scope: object
  readonly name: string
  readonly before: PropertyDescriptor | undefined
}

/**
 * The budget of a rendering by closures. It ends no later than the limits of LiquidJS do, and after some milliseconds: what goes
 * over it is rendered by LiquidJS from the start, in slices, with its limits and its errors. Stands in for both limiters of a
 * LiquidJS context.
 */
export class Budget {
  readonly #until: number
  readonly #changed: Changed[] = []
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

  /** Notes a property of the caller's data that is about to be changed. */
  change(scope: object, name: string): void {
    this.#changed.push({ scope, name, before: Object.getOwnPropertyDescriptor(scope, name) })
  }

  /** Puts back what was changed, for LiquidJS to begin with the data that closures began with. */
  undo(): void {
    for (const { scope, name, before } of this.#changed.reverse()) {
      if (before) Object.defineProperty(scope, name, before)
      else Reflect.deleteProperty(scope, name)
    }
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
