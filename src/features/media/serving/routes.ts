import type { FastifyInstance, FastifyReply } from 'fastify'
import { mediaUrl } from '#core/media/media.ts'
import { sendStreamed } from '#http/answers/answers.ts'
import type { ETag } from '#http/answers/etag.ts'
import { composed } from '#lib/text/normal-form.ts'
import type { Pictures } from '#media/pictures/pictures.ts'
import { type AskedPicture, addressOf, pictureAsked, pictureOfQuery } from './picture-path.ts'
import type { MediaFiles, ServedMedia } from './served-media.ts'
import { smallerOf } from './smaller.ts'

/** The dependencies of the addresses of media. */
export interface ServingRoutes {
  readonly files: MediaFiles
  readonly pictures: Pictures
  /** The path of the site's own address (`/repo`), '' for none: media are there as well. */
  readonly base: string
  /** The widths that smaller pictures may have. */
  readonly widths: readonly number[]
}

const PREFIX = '/media/'
const POLICY = "default-src 'none'; sandbox"
const KEPT_FOR_EVER = 'public, max-age=31536000, immutable'
const SHOWN = /^(?:image|video|audio)\//
/** Characters of a tag in `?v=` by which a copy may be kept for ever. */
const LEAST_TAG = 8
const ANY_BYTES = { type: 'string', format: 'binary' } as const
const SCHEMA = { hide: true, response: { '2xx': ANY_BYTES, '3xx': ANY_BYTES, '4xx': ANY_BYTES, '5xx': ANY_BYTES } } as const

/** GET and HEAD of `/media/…`: the bytes of media, and smaller pictures of them. They need no token. */
export function servingRoutes(app: FastifyInstance, parts: ServingRoutes): void {
  for (const base of new Set([parts.base, ''])) servingRoutesAt(app, parts, base)
}

function servingRoutesAt(app: FastifyInstance, parts: ServingRoutes, base: string): void {
  const prefix = base + PREFIX
  const lead = (reply: FastifyReply, path: string) => leadTo(reply, base + mediaUrl(path.replaceAll('/', '~')))
  app.get(`${prefix}*`, { schema: SCHEMA }, async (request, reply) => {
    const [address = '', query = ''] = request.url.slice(prefix.length).split(/\?(.*)/s)
    const path = decoded(address)
    if (path === undefined) return reply.callNotFound()
    const asked = pictureAsked(path, parts.widths)
    const file = await parts.files.find(asked?.path ?? path)
    const moved = file ? path : await movedTo(parts.files, path, asked)
    if (moved === undefined) return reply.callNotFound()
    const other = asked ? undefined : pictureOfQuery(moved, query)
    if (other !== undefined) return pictureAsked(other, parts.widths)?.path === moved ? lead(reply, other) : reply.callNotFound()
    if (!file) return lead(reply, moved)
    const found = asked ? await smallerOf(parts.pictures, file, asked, request.ip) : file
    const isSent = found && (await sendStreamed(request, reply, { ...found, headers: headersOf(found, query) }))
    return isSent ? reply : reply.callNotFound()
  })
}

function headersOf({ contentType, name, etag }: ServedMedia, query: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': POLICY,
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': isNamed(query, etag) ? KEPT_FOR_EVER : 'no-cache',
    ...(!SHOWN.test(contentType) && { 'content-disposition': attachment(name) }),
  }
}

/** Returns whether `?v=` names just these bytes: an address that another file may have later is not kept for ever. */
function isNamed(query: string, etag: ETag): boolean {
  const version = new URLSearchParams(query).get('v') ?? ''
  return version.length >= LEAST_TAG && etag.slice(1, -1).startsWith(version)
}

/** The path that a moved file, or a smaller picture of it, has now. */
async function movedTo(files: MediaFiles, path: string, asked?: AskedPicture): Promise<string | undefined> {
  const moved = await files.movedTo(asked?.path ?? path)
  return moved === undefined || !asked ? moved : addressOf({ ...asked, path: moved })
}

function leadTo(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(308).header('location', location).header('cache-control', 'no-cache').send()
}

/** RFC 6266: a name for old clients, and the real one. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, escaped)}`
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function decoded(path: string): string | undefined {
  try {
    return composed(decodeURIComponent(path))
  } catch {
    return undefined
  }
}
