/** The timeouts of a connection, in milliseconds. */
export interface Timeouts {
  /** For a request's headers, and for the whole of it. */
  readonly headers: number
  readonly request: number
  /** Interval at which those two are checked: Node's own 30 s would tolerate slow clients. */
  readonly check: number
  /** Without a byte of a body that may take long: an upload's. */
  readonly upload: number
  /** Without a byte either way; and between two requests. */
  readonly idle: number
  readonly keepAlive: number
}

/** Timeouts of a server that is given no others. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  headers: 5_000,
  request: 12_000,
  check: 1_000,
  upload: 30_000,
  idle: 60_000,
  keepAlive: 30_000,
}
