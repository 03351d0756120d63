import type { Json } from './json.ts'

/**
 * Small volatile facts that outlive a request and are shared by all nodes: idempotency keys, counters, one-time things.
 * Every fact has a life in milliseconds; one that is over reads as absent. Each call is atomic, and durable when it resolves.
 */
export interface Ledger {
  put(name: string, value: Json, ttl: number): Promise<void>
  /** Reads and removes in one step: of a hundred at once, one gets it. */
  take(name: string): Promise<Json | undefined>
  /** Adds `n` to a counter (absent is 0) and gives the new sum. The life is set when the counter begins, and not prolonged. */
  add(name: string, n: number, ttl: number): Promise<number>
  peek(name: string): Promise<Json | undefined>
  close(): Promise<void>
}
