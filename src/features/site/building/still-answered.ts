import { isOfLists, type ListAnswer } from '../data/questions.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { RenderContext } from '../pages/pages.ts'
import type { Made } from './build-memory.ts'

type Asked = Made['asked']
type Answering = Pick<RenderContext, 'answers' | 'views'>

/**
 * Returns the answers about lists that a page was made with, if all its questions would be answered as they were: at once, where
 * nothing has to be read for that.
 */
export function stillAnswered(
  asked: Asked,
  snapshot: SiteSnapshot,
  by: Answering,
): ListAnswer[] | undefined | Promise<ListAnswer[] | undefined> {
  const still: ListAnswer[] = []
  for (const [question, answer] of asked) {
    const now = isOfLists(question) ? by.answers.of(question, snapshot) : by.views.answers.atOnce(question, snapshot)
    if (now === undefined || now instanceof Promise) return answeredInTime(asked, snapshot, by)
    const isStill = now === null || typeof now === 'string' ? now === answer : now.answer === answer
    if (!isStill) return undefined
    if (now !== null && typeof now === 'object') still.push(now)
  }
  return still
}

async function answeredInTime(asked: Asked, snapshot: SiteSnapshot, by: Answering): Promise<ListAnswer[] | undefined> {
  const others = asked.filter(([question]) => !isOfLists(question))
  if (!(await by.views.answers.areStill(others, snapshot))) return undefined
  const still: ListAnswer[] = []
  for (const [question, answer] of asked) {
    if (!isOfLists(question)) continue
    const now = await by.answers.of(question, snapshot)
    if (now.answer !== answer) return undefined
    still.push(now)
  }
  return still
}
