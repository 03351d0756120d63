import type { Revision } from '#core/history/revision.ts'

/** A step in the history of a group of settings: the revision that made it, and those that its documents were in from then on. */
export interface Step {
  readonly revision: Revision
  /** The revision of the group's own document; undefined before its first. */
  readonly own: Revision | undefined
  /** The revision of the document of all groups. */
  readonly whole: Revision | undefined
}

/**
 * Merges the revisions of a group's own document with those of the document of all groups, each newest first, into steps, oldest
 * first: one for each commit, each with a number of its own.
 */
export function stepsOf(own: readonly Revision[], whole: readonly Revision[]): Step[] {
  const [ours, theirs] = [[...own].reverse(), [...whole].reverse()]
  const [ofOurs, ofTheirs] = [new Set(ours.map(nameOf)), new Set(theirs.map(nameOf))]
  const taken = new Set<number>()
  const steps: Step[] = []
  let [i, j] = [0, 0]
  while (i < ours.length || j < theirs.length) {
    const [a, b] = [ours[i], theirs[j]]
    const isOurs = a !== undefined && (!b || nameOf(a) === nameOf(b) || isFirst(a, b, { ofOurs, ofTheirs }))
    const isTheirs = b !== undefined && (!isOurs || nameOf(a) === nameOf(b))
    const revision = isOurs ? a : b
    if (!revision) break
    if (isOurs) i++
    if (isTheirs) j++
    steps.push({ revision: withNumber(revision, taken), own: ours[i - 1], whole: theirs[j - 1] })
  }
  return steps
}

/** Returns whether `a` comes before `b`: what is in both lists waits for the other list to come to it. */
function isFirst(a: Revision, b: Revision, { ofOurs, ofTheirs }: Record<'ofOurs' | 'ofTheirs', ReadonlySet<string>>): boolean {
  const [isShared, isOtherShared] = [ofTheirs.has(nameOf(a)), ofOurs.has(nameOf(b))]
  return isShared === isOtherShared ? a.number <= b.number : isOtherShared
}

/** The name by which one write is the same in the histories of several documents. */
function nameOf({ commit, number }: Revision): string {
  return commit ?? String(number)
}

/** Commits by hand of one second may have one number in two documents. */
function withNumber(revision: Revision, taken: Set<number>): Revision {
  let { number } = revision
  while (taken.has(number)) number++
  taken.add(number)
  return number === revision.number ? revision : { ...revision, number }
}
