import type { Problem } from '#core/document.ts'
import type { Listing, Tree } from '../disk/tree.ts'
import { accessProblem } from './faults.ts'
import type { Places } from './places.ts'

/**
 * The entries of a folder that may matter, and what is wrong with the folder; undefined where there is none, or it is for
 * something else.
 */
export function listed(tree: Tree, places: Places, path: string): (Listing & { problem?: Problem }) | undefined {
  if (places.isForeign(path)) return undefined
  const problem = places.faultOf(path)
  if (problem) return { files: [], folders: [], links: [], problem }
  try {
    return tree.list(path)
  } catch (error) {
    return { files: [], folders: [], links: [], problem: accessProblem(path, error) }
  }
}
