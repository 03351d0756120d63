import { asking, type LinkPlace, type Question, resolving } from '#core/links/resolve.ts'
import { answerQuestions } from '#lib/worker-answers.ts'
import { Markdown } from './markdown.ts'

/** A body to be made into HTML. `answers` are those to questions to the site that are known already. */
export interface BodyQuestion {
  readonly body: string
  readonly title: string
  readonly trusted: boolean
  readonly place: Omit<LinkPlace, 'pageOf' | 'fileAt'>
  readonly answers: ReadonlyMap<Question, string | undefined>
}

/** HTML; or the questions whose answers it takes; or undefined where it would be too much. */
export type BodyAnswer = { readonly html: string | undefined } | { readonly unknown: readonly Question[] }

/** The most characters of HTML that one body may be made into. */
const MOST_HTML = 8 * 1024 * 1024

const markdown = new Markdown()

answerQuestions(answer)

function answer({ body, title, trusted, place, answers }: BodyQuestion): BodyAnswer {
  const unknown = new Set<Question>()
  const known = asking((question) => {
    if (!answers.has(question)) unknown.add(question)
    return answers.get(question)
  })
  const html = markdown.render(body, { title, trusted, ...resolving({ ...place, ...known }) })
  if (unknown.size > 0) return { unknown: [...unknown] }
  return { html: html.length > MOST_HTML ? undefined : html }
}
