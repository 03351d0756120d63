/** How long a connection may take, in milliseconds. */
export interface Timeouts {
  /** For a request's headers, and for the whole of it. */
  readonly headers: number
  readonly request: number
  /** How often those two are looked at: Node's own 30 s would let slow clients be. */
  readonly check: number
  /** Without a byte either way; and between two requests. */
  readonly idle: number
  readonly keepAlive: number
}

/** What a server allows that is given nothing else. */
export const DEFAULT_TIMEOUTS: Timeouts = { headers: 5_000, request: 12_000, check: 1_000, idle: 60_000, keepAlive: 30_000 }
