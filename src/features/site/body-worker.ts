import { type LinkPlace, resolveHref } from '#core/links/resolve.ts'
import { answerQuestions } from '#lib/worker-answers.ts'
import { Markdown } from './markdown.ts'

/** A body to be made into HTML. `pages` are the pages of records in files that are known already, by the files' paths. */
export interface BodyQuestion {
  readonly body: string
  readonly title: string
  readonly trusted: boolean
  readonly place: Omit<LinkPlace, 'pageOf'>
  readonly pages: ReadonlyMap<string, string | undefined>
}

/** HTML; or the paths of files whose pages it takes; or undefined where it would be too much. */
export type BodyAnswer = { readonly html: string | undefined } | { readonly unknown: readonly string[] }

/** The most characters of HTML that one body may be made into. */
const MOST_HTML = 8 * 1024 * 1024

const markdown = new Markdown()

answerQuestions(answer)

function answer({ body, title, trusted, place, pages }: BodyQuestion): BodyAnswer {
  const unknown = new Set<string>()
  const pageOf = (path: string) => {
    if (!pages.has(path)) unknown.add(path)
    return pages.get(path)
  }
  const html = markdown.render(body, { title, trusted, resolve: (href) => resolveHref(href, { ...place, pageOf }) })
  if (unknown.size > 0) return { unknown: [...unknown] }
  return { html: html.length > MOST_HTML ? undefined : html }
}
