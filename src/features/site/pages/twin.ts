import { markdownOf } from '#markdown/reverse/blocks.ts'
import { asLine, escaped } from '#markdown/reverse/inline.ts'
import { withFirstPicture } from '../pictures/picture-html.ts'
import { shownHtml } from './clean.ts'
import type { RecordView } from './views.ts'

/** The most characters of HTML that are made into Markdown. */
const MOST = 512 * 1024

/** The sources of the text of a page as Markdown. */
export interface Twin {
  readonly title: string
  /** The HTML of the text; '' where the page does not show it. */
  readonly html: string
  /** The whole address of the page. */
  readonly canonical: string
}

/** Returns what the text of a record's page is made of. What a template does not print as it is, is not in it. */
export function twinOf({ title, html }: Pick<RecordView, 'title' | 'html'>, page: Pick<Twin, 'html' | 'canonical'>): Twin {
  const isShown = html.length <= MOST && (page.html.includes(html) || page.html.includes(withFirstPicture(html)))
  return { title, html: isShown ? html : '', canonical: page.canonical }
}

/** Returns a text as Markdown, with whole addresses. */
export function twinText({ title, html, canonical }: Twin): string {
  const resolve = (href: string) => (URL.canParse(href, canonical) ? new URL(href, canonical).href : href)
  const text = html === '' ? '' : (markdownOf(html, resolve) ?? markdownOf(shownHtml(html), resolve) ?? '')
  return `# ${asLine(escaped(title))}\n\n<${canonical}>\n${text === '' ? '' : `\n${text}\n`}`
}
