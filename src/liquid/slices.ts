import { setImmediate } from 'node:timers/promises'

/** Milliseconds that a rendering goes on before other work runs, and the number of steps between two looks at the time. */
const SLICE_MS = 10
export const STEPS_BETWEEN_LOOKS = 16
/** Greatest depth of blocks and partial templates in each other, a few levels for each. */
const MOST_DEEP = 1000

/** A generator of LiquidJS: it yields another one instead of calling it, and receives its result. */
export type Work = Iterator<unknown, unknown, unknown>

/** Renders as `renderFileSync` does, in slices of some milliseconds, between which other work runs. */
export async function inSlices(rendering: Work): Promise<unknown> {
  const stack: Work[] = [rendering]
  let made: unknown
  let error: { readonly thrown: unknown } | undefined
  let since = performance.now()
  for (let step = 1; ; step++) {
    if (step % STEPS_BETWEEN_LOOKS === 0 && performance.now() - since > SLICE_MS) {
      await setImmediate()
      since = performance.now()
    }
    const work = stack.at(-1)
    if (!work) break
    try {
      const result = error ? work.throw?.(error.thrown) : work.next(made)
      error = undefined
      if (result?.done !== false) stack.pop()
      made = result?.value
      if (isWork(made)) {
        if (stack.length < MOST_DEEP) stack.push(made)
        else error = { thrown: new Error('it is a part of itself, over and over') }
        made = undefined
      }
    } catch (thrown) {
      stack.pop()
      error = { thrown }
    }
  }
  if (error) throw error.thrown
  return made
}

/** Returns whether a value is to be run for what it comes to. */
export function isWork(value: unknown): value is Work {
  return typeof value === 'object' && value !== null && 'next' in value && 'throw' in value && typeof value.next === 'function'
}
