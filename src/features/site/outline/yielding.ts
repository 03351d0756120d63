import type { SiteSnapshot } from './site-snapshot.ts'
import { targetAt } from './targets.ts'
import { pageOfTwin } from './twins.ts'

/** The address of the list of what language models may read (llmstxt.org), and that of what robots may (RFC 9309). */
export const LLMS = '/llms.txt'
export const ROBOTS = '/robots.txt'

/** Addresses at which a site may have a file of its own. */
export const FOR_ROBOTS: readonly string[] = [ROBOTS, LLMS]

/** Returns whether what is made for a path gives way to a file of the site: an old address, a twin, what is made for robots. */
export function givesWay(path: string, { outline }: SiteSnapshot): boolean {
  return FOR_ROBOTS.includes(path) || pageOfTwin(path, outline) !== undefined || targetAt(outline, path)?.kind === 'redirect'
}
