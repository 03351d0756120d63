/** The files that a build wrote and removed: their numbers, and their paths below its folder. `isListed` where its own list changed. */
export interface Counts {
  readonly written: number
  readonly unchanged: number
  readonly removed: number
  readonly changes: { readonly written: readonly string[]; readonly removed: readonly string[]; readonly isListed: boolean }
}

/** The place where the output of a build is kept until it is complete. */
export interface Arrival {
  /** The files that came, by their paths below the folder. */
  readonly files: ReadonlySet<string>
  /** The folder in which they are until they land, by the same paths; undefined where they are not kept. */
  readonly made: string | undefined
  /** Says that a file is there. */
  note(file: string): void
  /** Takes in a file that is streamed; returns where it is until it lands, if it is kept, and its print. What is broken off leaves nothing. */
  copy(file: string, content: AsyncIterable<Buffer>): Promise<{ path: string | undefined; print: string }>
  /** Puts all in place and takes away what is `stale`; `all` are the files that builds wrote, with those. */
  land(stale: readonly string[], all: readonly string[]): void
  discard(): void
}
