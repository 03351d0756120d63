import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { hasTwin } from '../outline/twins.ts'
import type { Plan } from '../pages/plans.ts'
import type { Print, Prints } from './prints.ts'
import type { ListAnswer, ListAnswers } from './questions.ts'

/** All that a page depends on beside what the whole site does and what bodies ask, and the prints of its records among it. */
export interface PageInputs {
  readonly inputs: string
  readonly prints: readonly Print[]
}

/** Returns what the page of a plan depends on: at once, where what its records show of others was found before. */
export function inputsOf(plan: Plan, snapshot: SiteSnapshot, by: Prints): PageInputs | Promise<PageInputs> {
  const prints: Print[] = []
  for (const entry of entriesOf(plan)) {
    const print = by.of(entry, snapshot)
    if (print instanceof Promise) return inputsRead(plan, snapshot, by)
    prints.push(print)
  }
  const { listed: _, whole, ...rest } = plan
  const isAsMarkdown = hasTwin(plan.facts.path, snapshot.outline)
  const inputs = `${JSON.stringify([rest, whole?.as ?? null, isAsMarkdown])}\n${prints.map(({ print }) => print).join('\n')}`
  return { inputs, prints }
}

async function inputsRead(plan: Plan, snapshot: SiteSnapshot, by: Prints): Promise<PageInputs> {
  for (const entry of entriesOf(plan)) await by.of(entry, snapshot)
  return inputsOf(plan, snapshot, by)
}

/** The records that a page is made of, but for those that its template asks for. */
export function entriesOf({ listed, whole }: Plan): Entry[] {
  return [...(listed ?? []), ...(whole ? [whole.entry] : [])]
}

/** The answers to questions about lists. */
export async function answersTo(
  questions: readonly string[],
  snapshot: SiteSnapshot,
  by: ListAnswers,
): Promise<Map<string, ListAnswer>> {
  const answers = new Map<string, ListAnswer>()
  for (const question of questions) answers.set(question, await by.of(question, snapshot))
  return answers
}
