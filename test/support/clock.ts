import type { Clock } from '#lib/clock.ts'

/** A clock that stands still until it is moved. Starts at 2026-01-15T12:00:00Z, or where told. */
export class TestClock implements Clock {
  #now: number

  constructor(start: string | number = '2026-01-15T12:00:00.000Z') {
    this.#now = typeof start === 'number' ? start : Date.parse(start)
  }

  now(): number {
    return this.#now
  }

  /** Moves the clock on by so many milliseconds. */
  advance(ms: number): void {
    this.#now += ms
  }

  /** Moves the clock to an instant. */
  set(instant: string): void {
    this.#now = Date.parse(instant)
  }
}
