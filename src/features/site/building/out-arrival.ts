import type { Stats } from 'node:fs'

/** The place where the output of a build is kept until it is complete. */
export interface Arrival {
  /** The files that were put. */
  readonly files: ReadonlySet<string>
  /** Takes in a file, by its path below the folder; returns its state, which it keeps when it lands, if it is kept. */
  put(file: string, body: Buffer): Stats | undefined
  /** As `put`, of what is streamed; returns where it is until it lands, if it is kept, and its print. What is broken off leaves nothing. */
  copy(file: string, content: AsyncIterable<Buffer>): Promise<{ path: string | undefined; print: string }>
  /** Puts all in place and takes away what is `stale`; `all` are the files that builds wrote, with those. */
  land(stale: readonly string[], all: readonly string[]): void
  discard(): void
}
