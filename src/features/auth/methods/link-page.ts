import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { shippedTemplates } from '#lib/package.ts'

const TEMPLATE = join(shippedTemplates('auth'), 'link.liquid')

/** The content of the page. Without `token` it says that the link is no longer valid. */
export interface LinkPage {
  readonly siteName: string
  readonly siteUrl: string
  readonly token?: string | undefined
  /** The address that the form may finally redirect to, besides the site itself. */
  readonly to?: string | undefined
}

/** A way to make pages of Quire's one template for links; read when the first is asked for. */
export type Render = (page: LinkPage) => Promise<string>

/**
 * Renders the page that a link opens in a browser: a button, for programs that look at every link in a message must not spend it.
 */
export function linkPages(): Render {
  let made: Promise<Render> | undefined
  return (page) => {
    // What failed once may go well the next time.
    made ??= renderer().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made.then((render) => render(page))
  }
}

async function renderer(): Promise<Render> {
  const { Liquid } = await import('liquidjs')
  const liquid = new Liquid({ outputEscape: 'escape', ownPropertyOnly: true, strictVariables: true, strictFilters: true })
  const template = liquid.parse(await readFile(TEMPLATE, 'utf8'))
  return async ({ siteName, siteUrl, token = '' }) => String(await liquid.render(template, { siteName, siteUrl, token }))
}

/**
 * Answers with the page: no script, nothing from elsewhere, in no frame, in no cache; the address, which has the link in it, is
 * sent as referrer to no other origin.
 */
export function sendPage(reply: FastifyReply, status: number, html: string, to?: string): FastifyReply {
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? ''
  // Browsers hold redirects of a form to this as well.
  const targets = to === undefined ? "'self'" : `'self' ${new URL(to).origin}`
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    `form-action ${targets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return reply
    .code(status)
    .headers({
      'content-security-policy': policy.join('; '),
      'cache-control': 'no-store',
      // With no-referrer browsers send the form with "Origin: null".
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex',
    })
    .type('text/html; charset=utf-8')
    .send(html)
}
