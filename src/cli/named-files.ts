import { attachmentPath, leadsElsewhere } from '#core/links/resolve.ts'
import { mediaNamed, mediaPath, siteAddress } from '#core/media/media.ts'
import type { Field } from '#core/types/content-type.ts'
import { holds, rewritten } from '#core/types/fields.ts'
import { cacheKey } from '#lib/cache-key.ts'
import type { Json } from '#lib/json.ts'
import type { Quire } from './open/site.ts'

/** A value that names a file which is not there. */
export interface LostFile {
  readonly message: string
  readonly hint: string
}

/** Finds the values of fields of the types media and url that name files of the site which are not there. Each is looked for once. */
export class NamedFiles {
  readonly #site: Quire
  readonly #known = new Map<string, Promise<boolean>>()

  constructor(site: Quire) {
    this.#site = site
  }

  /** Those in a field, as deep as it is declared; `folder` is that in which the record's own file lies, below the content. */
  async lostIn(field: Field, value: Json | undefined, folder?: string): Promise<LostFile[]> {
    if (!this.#site.config.features.media || !holds(field, isFile)) return []
    const named = new Map<string, { readonly text: string; readonly isMedia: boolean }>()
    rewritten(field, value, (one, text) => {
      const isMedia = one.type === 'media'
      if (isFile(one) && typeof text === 'string') named.set(cacheKey(one.type, text), { text, isMedia })
      return undefined
    })
    const lost: LostFile[] = []
    for (const { text, isMedia } of named.values()) {
      const path = await this.#lost(text, isMedia, folder)
      if (path === undefined) continue
      const hint = `Put it at ${this.#site.config.site.content}/${path}, or name another.`
      lost.push({ message: `The file "${text}" is not there.`, hint })
    }
    return lost
  }

  /** The path below the content at which a file would be, where it is not. */
  async #lost(text: string, isMedia: boolean, folder: string | undefined): Promise<string | undefined> {
    const { site } = this.#site.config
    const isAddress = text.startsWith('/') || leadsElsewhere(text)
    const key = isMedia || isAddress ? mediaNamed(text, siteAddress(site.url)) : undefined
    const media = key && mediaPath(key.id)
    if (media !== undefined && (await this.#isThere(`media ${media}`, () => this.#hasMedia(media)))) return undefined
    const beside = isAddress || folder === undefined ? undefined : attachmentPath(isMedia ? encoded(text) : text, folder)
    if (beside !== undefined && (await this.#isThere(`file ${beside}`, () => this.#hasFile(beside)))) return undefined
    return media === undefined ? beside : `media/${media}`
  }

  #isThere(name: string, look: () => Promise<boolean>): Promise<boolean> {
    const known = this.#known.get(name) ?? look()
    this.#known.set(name, known)
    return known
  }

  #hasMedia(path: string): Promise<boolean> {
    return this.#site.features.media.copies.has(path)
  }

  async #hasFile(path: string): Promise<boolean> {
    return (await this.#site.siteFiles.find('content', path)) !== undefined
  }
}

function isFile({ type }: Field): boolean {
  return type === 'media' || type === 'url'
}

/** A path is written as it is, and not as an address. */
function encoded(path: string): string {
  return path.includes('%') ? path : encodeURI(path)
}
