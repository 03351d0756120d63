import { tagged } from '#http/answers/etag.ts'
import type { FeedPlace } from '../feeds/feed-places.ts'
import { type Asked, isOfPicture } from '../files/asked.ts'
import type { SitePage } from '../outline/site-snapshot.ts'
import type { Printed } from './page-renderer.ts'
import type { Twins } from './twins.ts'

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'

/** The answer with a page of a target. */
export function pageOf(printed: Printed): SitePage {
  return { ...htmlPage(200, printed), isPage: true }
}

/** The answer with the page for what is not there. */
export function missingOf(printed: Printed): SitePage {
  return htmlPage(404, printed)
}

/** The answer with the same page as Markdown; undefined where there is none. */
export async function twinPageOf({ twin, asked }: Printed, twins: Twins): Promise<SitePage | undefined> {
  return twin && { ...answerOf(200, MARKDOWN, Buffer.from(await twins.text(twin()))), ...shownPictures(asked) }
}

/** The answer with a feed. */
export function feedOf({ form }: FeedPlace, { text, asked }: { readonly text: string; readonly asked: Asked }): SitePage {
  return { ...answerOf(200, `${form.contentType}; charset=utf-8`, Buffer.from(text)), ...shownPictures(asked) }
}

/** The answer with some bytes. */
export function answerOf(status: SitePage['status'], contentType: string, body: Buffer): SitePage {
  return { status, contentType, ...tagged(body) }
}

function htmlPage(status: 200 | 404, printed: Printed): SitePage {
  const page = { ...answerOf(status, HTML, Buffer.from(printed.html)), ...shownPictures(printed.asked) }
  return printed.trusted ? { ...page, trusted: true } : page
}

function shownPictures(asked: Asked): Pick<SitePage, 'pictures'> {
  const pictures = new Map([...asked].filter(isOfPicture))
  return pictures.size > 0 ? { pictures } : {}
}
