import { markdownOf } from '#markdown/reverse/blocks.ts'
import { asLine, escaped } from '#markdown/reverse/inline.ts'
import { withFirstPicture } from '../pictures/picture-html.ts'
import { shownHtml } from './clean.ts'
import type { RecordView } from './views.ts'

/** The most characters of HTML that are made into Markdown. */
const MOST = 512 * 1024

/** A page whose text is wanted as Markdown: its HTML, and its whole address. */
export interface TwinnedPage {
  readonly html: string
  readonly canonical: string
}

/**
 * Returns the text of a record's page as Markdown, with whole addresses. It is made of the HTML that the page shows: what a template
 * does not print as it is, is not in it.
 */
export function twinText({ title, html }: Pick<RecordView, 'title' | 'html'>, page: TwinnedPage): string {
  const resolve = (href: string) => (URL.canParse(href, page.canonical) ? new URL(href, page.canonical).href : href)
  const isShown = html.length <= MOST && [html, withFirstPicture(html)].some((form) => page.html.includes(form))
  const text = isShown ? (markdownOf(html, resolve) ?? markdownOf(shownHtml(html), resolve) ?? '') : ''
  return `# ${asLine(escaped(title))}\n\n<${page.canonical}>\n${text === '' ? '' : `\n${text}\n`}`
}
