import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import type { User } from '#features/users/user.ts'
import type { Resource, ResourceGroup } from '../../resource.ts'
import type { PanelSession } from '../signing-in/panel-sessions.ts'
import { avatarOf } from './avatar.ts'
import type { PanelTemplates } from './panel-templates.ts'

/** The caller of a page, signed in. */
export interface Signed {
  readonly user: User
  readonly access: Access
  readonly session: PanelSession
  /** The secret of the session, and what stands for its user in the proofs of forms. */
  readonly secret: string
  readonly mark: string
  /** The proof that their forms carry. */
  readonly csrf: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of a page of the panel, where they are signed in. */
    signed: Signed | null
  }
}

/** A page: a template and what it shows. */
export interface Page {
  readonly template: string
  /** The title of the window, before the site's name. */
  readonly title: string
  readonly status?: number
  readonly data?: object
  /** The words for what its address says was done, where they say more than that. */
  readonly words?: string | undefined
  /** The form that takes back what its address says was done. */
  readonly undo?: object | undefined
  /** True for a page that the panel shows in a frame. */
  readonly isFramed?: boolean
  /** The origins elsewhere that its forms may lead to. */
  readonly formsTo?: readonly string[]
}

/** The policy of pages: they load nothing but what the panel itself serves. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const GROUPS = { write: 'Write', arrange: 'Arrange', run: 'Run' } as const

/** The words that a page begins with after something was done, by the name in its address (`?done=saved`). */
const DONE: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  created: 'Created.',
  removed: 'Deleted.',
  discarded: 'Thrown away.',
  published: 'Published. It is public now.',
  scheduled: 'Scheduled. It becomes public by itself at its time.',
  unpublished: 'Unpublished. It is private now.',
  nothing: 'Nothing was changed.',
  restored: 'Restored as a new revision.',
  undone: 'Undone. It is as it was before.',
  sent: 'Sent.',
  moved: 'Moved. Its old address leads here.',
  uploaded: 'Uploaded. Say what it shows: an alt text is for who can’t see it.',
  'uploaded-all': 'Uploaded. Those without an alt text say so.',
  replaced: 'Replaced. Its address is the same.',
  'signed-out': 'You are signed out.',
  ended: 'The session has ended.',
}

/** More words where the address says that others had saved meanwhile (`&merged=true`). */
const MERGED = ' Others had changed other parts meanwhile: both are kept.'

/** An entry of the navigation. */
export interface PanelLink {
  readonly label: string
  readonly url: string
  readonly icon: string
  /** The group that it is in; the last one where it is missing. */
  readonly group?: ResourceGroup
  /** True where it stands before the resources of its group. */
  readonly isFirst?: boolean
}

/** The dependencies of pages. */
export interface PageDeps {
  readonly templates: PanelTemplates
  readonly site: { readonly name: string; readonly url: string; readonly locale: string; readonly timezone: string }
  /** The resources that a reader sees. */
  readonly resources: (access: Access) => Promise<readonly Resource[]>
  /** The entries of the navigation beside those of resources: after these, where they say nothing else. */
  readonly links: (access: Access) => Promise<readonly PanelLink[]>
  readonly version: string
}

/** Answers with pages of the panel. */
export class Pages {
  readonly #deps: PageDeps

  constructor(deps: PageDeps) {
    this.#deps = deps
  }

  /** Sends a page: never kept by a cache, in no frame, with nothing from elsewhere. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { template, title, status = 200, data = {}, words, undo, isFramed = false, formsTo = [] }: Page,
  ): Promise<FastifyReply> {
    const { templates, site, version } = this.#deps
    const [path = '', query = ''] = request.url.split('?', 2)
    const asked = new URLSearchParams(query)
    const [done = ''] = (asked.get('done') ?? '').split('.', 1)
    const said = words ?? DONE[done]
    const text = asked.get('merged') === 'true' ? `${said}${MERGED}` : said
    const html = await templates.render(template, {
      title,
      site: { name: site.name, url: site.url, timezone: site.timezone, tagline: '' },
      version,
      theme: '',
      path,
      csrf: request.signed?.csrf ?? '',
      flash: Object.hasOwn(DONE, done) ? [{ tone: 'good', text, ...(undo && { undo }) }] : [],
      ...(request.signed && (await this.#frame(request.signed, path))),
      ...data,
    })
    return reply
      .code(status)
      .headers(isFramed ? FRAMED_HEADERS : headersFor(formsTo))
      .send(html)
  }

  /** The data of the frame around each page for who is signed in. */
  async #frame({ user, access }: Signed, path: string) {
    const { resources, links, site } = this.#deps
    const isCurrent = (url: string) => path === url || path.startsWith(`${url}/`)
    const more = (await links(access)).map(({ group = 'run', isFirst = false, ...link }) => {
      return { group, isFirst, item: { ...link, count: null, is_current: isCurrent(link.url) } }
    })
    const seen = await resources(access)
    const items = await Promise.all(
      seen.map(async (resource) => {
        const url = `/admin/${resource.name}`
        const count = (await resource.count?.(access))?.toLocaleString(site.locale) ?? null
        const { label, icon, group } = resource
        return { group, item: { label, url, icon, count, is_current: isCurrent(url) } }
      }),
    )
    const all = [...more.filter(({ isFirst }) => isFirst), ...items, ...more.filter(({ isFirst }) => !isFirst)]
    const nav = Object.entries(GROUPS).map(([group, label]) => ({
      label,
      items: all.filter((one) => one.group === group).map(({ item }) => item),
    }))
    const role = user.role.charAt(0).toUpperCase() + user.role.slice(1)
    return {
      home_url: '/admin',
      search_url: '/admin/search',
      is_home: path === '/admin',
      nav: nav.filter(({ items }) => items.length > 0),
      user: { name: user.name, note: role, url: '/admin/account', ...avatarOf(user) },
    }
  }
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  // With no-referrer browsers send forms with "Origin: null".
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
} as const

function headersFor(origins: readonly string[]): Readonly<Record<string, string>> {
  if (origins.length === 0) return PAGE_HEADERS
  const policy = POLICY.replace("form-action 'self'", `form-action 'self' ${origins.join(' ')}`)
  return { ...PAGE_HEADERS, 'content-security-policy': policy }
}

const FRAMED_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'"),
  'x-frame-options': 'SAMEORIGIN',
} as const
