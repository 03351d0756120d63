import type { Document } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import type { Embed } from '#markdown/rules/embeds.ts'
import { isInTag } from '#markdown/shortcodes.ts'
import { escapeXml } from '../feeds/xml.ts'
import { type Asked, askText } from '../files/asked.ts'
import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { BodyHtml } from './bodies.ts'
import { withOwnIds } from './embed-ids.ts'

/** The texts that one page takes in, the characters of these together, and the most that are within each other. */
const MOST = 50
const MOST_CHARACTERS = 512 * 1024
const DEEPEST = 5

/** The page that takes texts in. */
interface Host {
  readonly entry: Entry
  readonly snapshot: SiteSnapshot
  readonly asked: Asked | undefined
  /** The document of a record, as far as the site may show it now. */
  document(entry: Entry): Promise<Document | undefined>
  /** The HTML of a text, or of the part of it below a heading. */
  body(entry: Entry, document: Document, part: string | undefined): BodyHtml | Promise<BodyHtml>
  /** The address of a record's page. */
  href(entry: Entry): string
}

/** A text, and those that it is in, by their keys. */
interface Within {
  readonly html: string
  readonly embeds?: readonly Embed[]
  readonly keys: readonly string[]
}

/**
 * Takes the texts of other records into that of one page. A link stays where the other is not on the site, is in itself, is not to be
 * found while the page is, is trusted with its HTML where the page is not, or would be too much.
 */
export class Embedding {
  readonly #host: Host
  #count = 0
  #characters = 0

  constructor(host: Host) {
    this.#host = host
  }

  /** The HTML of the page's own text, whose marks are replaced. */
  of(body: BodyHtml): Promise<string> {
    return this.#filled({ ...body, keys: [keyText(this.#host.entry.key)] })
  }

  async #filled({ html, embeds = [], keys }: Within): Promise<string> {
    let [made, from, isTag] = ['', 0, false]
    for (const embed of embeds) {
      const begin = html.indexOf(embed.begin, from)
      const end = begin < 0 ? -1 : html.indexOf(embed.end, begin)
      // What it stands in may be left out.
      if (end < 0) continue
      const before = html.slice(from, begin)
      const link = html.slice(begin + embed.begin.length, end)
      isTag = isInTag(before, isTag)
      made += before + ((isTag ? undefined : await this.#text(embed, keys)) ?? link)
      from = end + embed.end.length
    }
    return withoutMarks(made + html.slice(from), embeds)
  }

  /** The text that is taken in; undefined where the link to it stays. */
  async #text({ name, part, label }: Embed, keys: readonly string[]): Promise<string | undefined> {
    const { entry: host, snapshot, asked } = this.#host
    const entry = snapshot.outline.names.find(name)?.entry
    if (!entry || keys.includes(keyText(entry.key)) || keys.length > DEEPEST) return undefined
    // What may not be taken in may be once it changes.
    askText(entry, asked)
    if (!mayTakeIn(host, entry) || ++this.#count > MOST) return undefined
    const document = await this.#host.document(entry)
    this.#characters += document?.body.length ?? 0
    if (!document || this.#characters > MOST_CHARACTERS) return undefined
    const number = this.#count
    const body = await this.#host.body(entry, document, part === '' ? undefined : part)
    if (body.isPlain || (part !== '' && body.html === '')) return undefined
    const page = escapeXml(this.#host.href(entry))
    const html = withOwnIds(await this.#filled({ ...body, keys: [...keys, keyText(entry.key)] }), {
      // No heading's own id has this sign.
      prefix: `embed-${number}:`,
      page,
    })
    const title = `<p class="embed-title"><a href="${page}">${escapeXml(label ?? entry.title)}</a></p>\n`
    return `<div class="embed">\n${part === '' ? title : ''}${html}</div>\n`
  }
}

/**
 * Returns whether a page may take in the text of a record: texts that are not to be found are only in pages that are not, those in no
 * list or feed only in pages of which that is so, and trusted HTML is only in pages with such.
 */
export function mayTakeIn(host: Entry, { noindex, unlisted, type }: Entry): boolean {
  const isHiddenAlike = unlisted ? host.unlisted : !noindex || host.noindex || host.unlisted
  return isHiddenAlike && (type.html === 'clean' || host.type.html === 'trusted')
}

/** HTML without the marks of which only one is left. */
function withoutMarks(html: string, embeds: readonly Embed[]): string {
  const [first] = embeds
  if (!first) return html
  const nonce = first.begin.slice(0, first.begin.search(/m\d+b;$/))
  return html.replace(new RegExp(`${nonce}m\\d+[be];\\n?`, 'g'), '')
}
