import type { Problem } from '#core/document.ts'
import type { MediaSource } from '../files/media-source.ts'

/** A link that leads nowhere: the reason, and how to fix it. */
export interface Fault {
  readonly message: string
  readonly hint: string
  /** A path below `/media/`: where there is a file, the link leads there. */
  readonly media?: string
}

/** A problem that is none where there is a media file. */
export type Found = Problem & Pick<Fault, 'media'>

/** Resolves with the problems but for those of links to media files that are there; without a source, all of these may be. */
export async function withoutMedia(found: readonly Found[], source: MediaSource | undefined): Promise<Problem[]> {
  const known = new Map<string, boolean>()
  const problems: Problem[] = []
  for (const { media, ...problem } of found) {
    if (media !== undefined && !known.has(media)) known.set(media, !source || (await source.has(media)))
    if (media === undefined || !known.get(media)) problems.push(problem)
  }
  return problems
}
