import type { Answers } from '../files/asked.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { isOfLists, type ListAnswer, type ListAnswers } from './questions.ts'

type Asked = readonly (readonly [question: string, answer: string | null])[]

interface Answering {
  readonly answers: ListAnswers
  readonly views: { readonly answers: Answers }
}

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
