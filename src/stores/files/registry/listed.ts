import type { Problem } from '#core/document.ts'
import type { Listing, Tree } from '../disk/tree.ts'
import { accessProblem } from './faults.ts'
import type { Places } from './places.ts'

/** The entries of a folder that may matter, and what is wrong with the folder; undefined where there is none. */
export function listed(tree: Tree, places: Places, path: string): (Listing & { problem?: Problem }) | undefined {
  const problem = places.faultOf(path)
  if (problem) return { files: [], folders: [], links: [], problem }
  try {
    const listing = tree.list(path)
    return listing && { ...listing, links: listing.links.filter((name) => places.isBlocking(path, name)) }
  } catch (error) {
    return { files: [], folders: [], links: [], problem: accessProblem(path, error) }
  }
}
