import type { FastifyReply, FastifyRequest } from 'fastify'
import type { QueryParams } from '#http/requests/query.ts'
import { NotLetIn, Semaphore } from '#lib/concurrency/semaphore.ts'
import { NotFound, Unavailable } from '#lib/errors.ts'
import type { PreviewPage, Resource } from '../../resource.ts'
import { dateText } from '../rendering/date-formats.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { fieldsSent } from '../requests/sent.ts'
import { versionIn } from './form-outcomes.ts'
import { formOf } from './form-view.ts'
import { urlOf } from './list-view.ts'
import { previewUrl } from './preview-url.ts'
import { sendPreview } from './send-preview.ts'

const AT_ONCE = 2
const MOST_WAITING = 16

const SIZES = ['phone', 'tablet', 'fit'] as const

/** Pages as the site would have them, in a sandbox that is no part of the panel's origin. */
export class PreviewPages {
  readonly #panel: Panel
  /** Pages that are drawn at once: they cost up to a second of work each, and nothing counts them. */
  readonly #drawing = new Semaphore(AT_ONCE, MOST_WAITING)

  constructor(panel: Panel) {
    this.#panel = panel
  }

  /** Shows the preview of what is stored, at the width of a phone, of a tablet, or of the window. */
  async page(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const signed = signedIn(request)
    const row = await resource.get(signed.access, id)
    if (!resource.hasPreview?.()) throw new NotFound('There is no such page.')
    const { size: asked, link } = request.query as QueryParams
    const size = SIZES.find((one) => one === asked) ?? 'fit'
    const url = urlOf(resource)
    const here = `${url}/${encodeURIComponent(id)}`
    const type = resource.name.slice(resource.name.indexOf('/') + 1)
    const made = link === undefined ? undefined : await this.#panel.previewLinks.make(signed.user, type, row.id)
    return this.#panel.pages.send(request, reply, {
      template: 'preview',
      title: `Preview · ${row.title}`,
      data: {
        crumbs: [{ label: resource.label, url }, { label: row.title, url: `${here}/edit` }, { label: 'Preview' }],
        sizes: SIZES.map((one) => ({
          label: one.charAt(0).toUpperCase() + one.slice(1),
          url: `${here}/preview?size=${one}`,
          is_current: one === size,
        })),
        size,
        link: made?.url ?? null,
        notice: made && sharing(dateText('long', made.ends, this.#panel.site)),
        share: { label: 'Share', icon: 'link', tone: 'plain', url: `${here}/preview?size=${size}&link=true` },
        frame: { url: previewUrl(resource, id), title: `${row.title}, as the site shows it` },
      },
    })
  }

  /** Answers with the page of what is stored. */
  async stored(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access, session } = signedIn(request)
    return sendPreview(reply, there(await this.#drawn(session.id, async () => resource.preview?.(access, id, {}))))
  }

  /** Answers with the page of what was typed: nothing is written. */
  async typed(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access, session } = signedIn(request)
    const base = versionIn(request, 'base')
    const row = base === undefined ? undefined : await resource.get(access, id)
    const start = row && base !== row.version ? ((await resource.inVersion?.(access, id, base ?? '')) ?? row) : row
    const { set, errors } = formOf(resource, access, start, this.#panel.site).read(fieldsSent(request))
    const wrong = new Set(Object.keys(errors).map((path) => path.split('.', 1)[0]))
    const values = Object.fromEntries(Object.entries(set).filter(([name]) => !wrong.has(name)))
    const draw = async () => resource.preview?.(access, row ? id : undefined, values)
    return sendPreview(reply, there(await this.#drawn(session.id, draw)))
  }

  /** Draws a page once it is let in, session by session. Throws Unavailable where too many wait. */
  async #drawn(session: string, draw: () => Promise<PreviewPage | undefined>): Promise<PreviewPage | undefined> {
    try {
      return await this.#drawing.run(draw, [session])
    } catch (error) {
      if (error instanceof NotLetIn) throw new Unavailable('Too many previews are being drawn. Try again in a moment.', 2)
      throw error
    }
  }
}

/** Says what a link to a preview is good for. */
function sharing(until: string): object {
  const text = `It shows this record as it is, and nothing else that is not public, until ${until}, or until you may not read it any more.`
  return { tone: 'info', title: 'Whoever has this link needs no account.', text }
}

/** The page, where there is one. Throws NotFound. */
function there(page: PreviewPage | undefined): PreviewPage {
  if (!page) throw new NotFound('This has no page of its own on the site.')
  return page
}
