import type { Json } from '#lib/json.ts'

/** A fact that has not ended: `until` is the end of its life, in milliseconds since 1970. */
export interface Fact {
  readonly name: string
  readonly value: Json
  readonly until: number
}

/** So much to add to the counter of a name. */
export interface Count {
  readonly name: string
  readonly n: number
}

/**
 * Small volatile facts that outlive a request and are shared by all nodes: idempotency keys, counters, one-time things.
 * Every fact has a life in milliseconds; one that is over reads as absent. Each call is atomic, and durable when it resolves.
 * A name is a short text (some hundred bytes) without NUL.
 */
export interface Ledger {
  put(name: string, value: Json, ttl: number): Promise<void>
  /** Reads and removes in one step: of a hundred at once, one gets it. */
  take(name: string): Promise<Json | undefined>
  /** Adds `n` to a counter (absent is 0) and returns the new sum. The life is set when the counter begins, and not prolonged. */
  add(name: string, n: number, ttl: number): Promise<number>
  /** As `add` for many counters, each name once, in one step; returns the new sums in the same order. */
  addAll(counts: readonly Count[], ttl: number): Promise<number[]>
  peek(name: string): Promise<Json | undefined>
  /** All facts that have not ended, in no order. It is not a snapshot: of changes meanwhile, some are seen and some are not. */
  facts(): AsyncIterable<Fact>
  close(): Promise<void>
}
