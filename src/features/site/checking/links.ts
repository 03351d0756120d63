import { setImmediate } from 'node:timers/promises'
import type { Document, Problem } from '#core/document.ts'
import { isSitePath } from '#core/files/site-files.ts'
import { idToPath, keyText, parseKey } from '#core/key.ts'
import type { Destination } from '#core/links/destination.ts'
import { unescaped } from '#core/links/moved-links.ts'
import { absolute, attachmentPath, foldersOf, keysOfFile, leadsElsewhere, recordOfLink } from '#core/links/resolve.ts'
import { LinkScanner } from '#core/links/scanner.ts'
import { isAttachmentName } from '#core/media/attachments.ts'
import { isTaken, plainPath } from '#core/permalink.ts'
import type { Store } from '#core/store.ts'
import { rewritten } from '#core/types/fields.ts'
import { append } from '#lib/append.ts'
import type { Json } from '#lib/json.ts'
import { isFileName } from '#markdown/rules/wikilinks.ts'
import { addressOfFile } from '../files/addresses.ts'
import type { MediaSource } from '../files/media-source.ts'
import type { Entry } from '../outline/entry.ts'
import { excessOf } from '../outline/menu.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { targetAt } from '../outline/targets.ts'
import type { Theme } from '../theme/theme.ts'
import { aliasProblems, termAliasProblems } from './aliases.ts'
import { type Anchor, anchorProblems, noPart, partOf } from './anchors.ts'
import { MAY_LEAD_WITHIN, notLive, shown } from './faults.ts'
import { commentProblems } from './foreign.ts'
import { type Fault, type Found, withoutMedia } from './found-media.ts'
import { placesIn } from './lines.ts'
import { NameCheck } from './names.ts'

/** The places that links are checked against, besides the site's pages. */
interface Place {
  readonly store: Store
  readonly config: { readonly site: { readonly content: string } }
  /** The paths of the site's files below its address, not percent-encoded. */
  readonly files: ReadonlySet<string>
  /** Absent where media are switched off. */
  readonly media?: () => MediaSource
}

const MEDIA = '/media/'
const AT_ONCE = 200
const SCHEME = /^(https?:)?\/\/([^/?#]*)/i
const FILE = /\.(?:md|markdown|mdx)$/i
const MADE = /(?:^|\/)(?:feed\.xml|rss\.xml|feed\.json|robots\.txt|llms\.txt|sitemap(?:-\d+)?\.xml)$|^\/search(?:\/|$)/
/** Matches tags of Liquid, Nunjucks and Hugo, which they replace with an address. */
const TAG = /\{\{|\{%/
const WITH_ENDING = /\.[a-z0-9]{1,8}$/i

/** Links on pages, and items of menus, that lead to nothing or to what is not live. Those to other hosts are not looked at. */
export async function linkProblems(place: Place, snapshot: SiteSnapshot, theme: Theme): Promise<Problem[]> {
  const check = new LinkCheck(place, snapshot, theme)
  const problems: Found[] = termAliasProblems(snapshot)
  const entries = [...snapshot.outline.records.values()]
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    for (const entry of entries.slice(start, start + AT_ONCE)) {
      const document = await place.store.get(entry.key)
      if (!document || document.problem?.severity === 'error') continue
      append(problems, check.record(entry, document))
      problems.push(...commentProblems(entry, document), ...aliasProblems(entry, document, snapshot))
    }
    await setImmediate()
  }
  append(problems, [...check.names.problems(), ...(await anchorProblems(check.names.anchors, place.store, theme))])
  const { items } = await place.store.browse('menus', {})
  return withoutMedia([...problems, ...items.flatMap((menu) => check.menu(menu))], place.media?.())
}

class LinkCheck {
  readonly names: NameCheck
  readonly #snapshot: SiteSnapshot
  readonly #scanners = { plain: new LinkScanner(), wiki: new LinkScanner(true) }
  readonly #hidden = new Map<string, Entry>()
  readonly #assets: ReadonlySet<string>
  readonly #content: string
  readonly #files: ReadonlySet<string>

  constructor({ config, files }: Place, snapshot: SiteSnapshot, theme: Theme) {
    this.#snapshot = snapshot
    this.names = new NameCheck(snapshot)
    this.#content = config.site.content
    this.#files = files
    this.#assets = new Set([...theme.assets.values()].map(({ url }) => url))
    for (const entry of snapshot.entries.values()) {
      if (entry.url !== null && !snapshot.outline.records.has(entry.url)) this.#hidden.set(entry.url, entry)
    }
  }

  record(entry: Entry, document: Document): Found[] {
    return [...this.#body(entry, document), ...this.#fields(entry, document)]
  }

  /** Paths of the site in fields of the type url, but for those of files. */
  #fields(entry: Entry, { fields }: Document): Found[] {
    const found: Found[] = []
    for (const field of entry.type.fields.values()) {
      rewritten(field, fields[field.name], ({ type }, value) => {
        if (type !== 'url' || typeof value !== 'string' || !(SCHEME.test(value) || /^\.{0,2}\//.test(value))) return undefined
        const path = value.replace(/[?#].*$/s, '')
        const fault = isAttachmentName(path) ? undefined : this.#link(path, `The link "${shown(value)}"`, entry)
        if (fault) found.push({ file: keyText(entry.key), ...fault, severity: 'warning' })
        return undefined
      })
    }
    return found
  }

  #body(entry: Entry, document: Document): Found[] {
    const own = `//${new URL(this.#snapshot.origin).host}/`
    if (!MAY_LEAD_WITHIN.test(document.body) && !document.body.includes(own)) return []
    const found: Found[] = []
    const placeOf = placesIn(document)
    for (const link of this.#scanners[entry.type.wikilinks ? 'wiki' : 'plain'].scan(document.body)) {
      const place = { file: keyText(entry.key), ...placeOf(link.start) }
      const isName = link.form === 'wiki' && !isFileName(link.text)
      const fault = isName ? this.names.fault(link, entry, document.body, place) : this.#fault(link, entry)
      const target = fault || isName || link.isPicture ? undefined : this.#targetOf(link, entry)
      if (fault) found.push({ ...place, ...fault, severity: 'warning' })
      else if (target)
        this.names.anchors.push({ ...target, problem: noPart(`The link "${shown(link.text)}"`, target.target, place) })
    }
    return found
  }

  /** The record to a part of whose page a link leads, and the id of that part. */
  #targetOf({ text, form }: Destination, entry: Entry): Omit<Anchor, 'problem'> | undefined {
    const id = partOf(text)
    const path = id === undefined ? undefined : unescaped(text.replace(/[?#].*$/s, ''), form)
    if (id === undefined || path === undefined || TAG.test(text)) return undefined
    if (path === '') return { target: entry, id }
    const own = this.#withoutHost(path)
    const plain = own === undefined ? undefined : plainPath(own.startsWith('/') ? own : absolute(own, entry.url ?? '/'))
    const target = this.#record(path, entry) ?? (plain === undefined ? undefined : this.#recordAt(plain))
    return target && { target, id }
  }

  /** The record whose page is at a path, or behind an alias there. */
  #recordAt(path: string): Entry | undefined {
    const { outline } = this.#snapshot
    const target = targetAt(outline, path)
    return outline.records.get(target?.kind === 'redirect' ? target.to : path)
  }

  /** The record that a link names by its file. */
  #record(path: string, entry: Entry): Entry | undefined {
    if (leadsElsewhere(path)) return undefined
    const folders = foldersOf(entry.key.kind, idToPath(entry.key.id))
    return recordOfLink(path, folders, (at) => {
      const key = keysOfFile(at).find((one) => this.#snapshot.entries.has(one))
      return key === undefined ? undefined : this.#snapshot.entries.get(key)
    })?.found
  }

  menu({ key, fields }: Document): Found[] {
    const excess = excessOf(fields.items)
    const faults: Fault[] = excess === undefined ? [] : [{ message: excess, hint: 'Take items out, or put them elsewhere.' }]
    this.#items(fields.items, faults)
    return faults.map((fault) => ({ file: keyText(key), ...fault, severity: 'warning' }))
  }

  #items(items: Json | undefined, faults: Fault[], depth = 0): void {
    if (!Array.isArray(items) || depth > 32) return
    for (const item of items) {
      if (item === null || typeof item !== 'object' || Array.isArray(item)) continue
      const fault = this.#item(item)
      if (fault) faults.push(fault)
      this.#items(item.children, faults, depth + 1)
    }
  }

  #item({ record, url }: { [key: string]: Json }): Fault | undefined {
    if (record !== null && typeof record === 'object' && !Array.isArray(record)) {
      const key = parseKey(String(record.type), String(record.id))
      const entry = key && this.#snapshot.entries.get(keyText(key))
      const target = shown(`${record.type}/${record.id}`)
      if (!entry) return { message: `An item leads to ${target}, which is not there.`, hint: 'Correct it, or take it out.' }
      return this.#isShown(entry) ? undefined : notLive('An item', target)
    }
    if (typeof url !== 'string' || (leadsElsewhere(url) && !SCHEME.test(url))) return undefined
    return this.#path(url.replace(/[?#].*$/s, ''), '/', `The item "${shown(url)}"`)
  }

  #fault({ text, form, isPicture }: Destination, entry: Entry): Fault | undefined {
    const path = unescaped(text.replace(/[?#].*$/s, ''), form)
    return path ? this.#link(path, `The ${isPicture ? 'picture' : 'link'} "${shown(text)}"`, entry) : undefined
  }

  #link(path: string, said: string, entry: Entry): Fault | undefined {
    const target = TAG.test(path) ? undefined : this.#record(path, entry)
    if (!target && (leadsElsewhere(path) || TAG.test(path) || !FILE.test(path)))
      return this.#path(path, entry.url ?? '/', said, entry)
    if (!target) return { message: `${said} leads to no file of a record.`, hint: 'Correct it, or take it out.' }
    return this.#isShown(target) ? undefined : notLive(said, keyText(target.key))
  }

  /** Returns the problem with an address that starts from a page. */
  #path(path: string, page: string, name: string, entry?: Entry): Fault | undefined {
    const own = this.#withoutHost(path)
    if (own === undefined) return undefined
    if (TAG.test(own))
      return { message: `${name} has a tag of another tool, which stays as it is.`, hint: 'Write the address itself.' }
    const beside = entry && attachmentPath(own, entry.folder)
    if (beside !== undefined && isSitePath('content', beside)) return this.#file(beside, name)
    const full = own.startsWith('/') ? own : absolute(own, page)
    const plain = plainPath(full)
    if (plain === undefined) return { message: `${name} is badly percent-encoded.`, hint: 'Write % as %25.' }
    if (plain.startsWith(MEDIA)) return this.#medium(plain, name)
    if (targetAt(this.#snapshot.outline, plain) || isTaken(plain) || MADE.test(plain) || this.#assets.has(plain)) return undefined
    const hidden = this.#hidden.get(plain)
    if (hidden) return notLive(name, keyText(hidden.key))
    const file = WITH_ENDING.test(plain) && !/\.html?$/i.test(plain) ? decodeURIComponent(plain) : undefined
    // A menu has no page that an address could start from.
    if (file !== undefined && (this.#files.has(file.slice(1)) || !(own.startsWith('/') || entry))) return undefined
    const hint = file === undefined ? 'Correct it, or take it out.' : `Put a file at static${file}, correct it, or take it out.`
    return { message: `${name} leads to nothing on the site.`, hint }
  }

  /** Returns the problem with a link to a file that lies, or would lie, beside records. */
  #file(path: string, name: string): Fault | undefined {
    const address = addressOfFile(path, this.#snapshot)
    if (address === undefined) {
      const hint = 'Publish that record, or put the file elsewhere.'
      return { message: `${name} leads to a file that belongs to what has no page now.`, hint }
    }
    if (address.startsWith(MEDIA)) return this.#medium(address, name)
    if (isTaken(address) || this.#files.has(decodeURIComponent(address).slice(1))) return undefined
    return { message: `${name} leads to no file.`, hint: `Put it at ${this.#content}/${path}, or correct the link.` }
  }

  #medium(address: string, name: string): Fault {
    const path = decodeURIComponent(address).slice(MEDIA.length)
    const hint = `Put it at ${this.#content}${MEDIA}${path}, or correct the link.`
    return { message: `${name} leads to no media file.`, hint, media: path }
  }

  /** The path of an address of this site; undefined for those of others. */
  #withoutHost(path: string): string | undefined {
    const [whole, , host] = SCHEME.exec(path) ?? []
    if (whole === undefined) return leadsElsewhere(path) ? undefined : path
    const { origin, base } = this.#snapshot
    const below = path.slice(whole.length)
    return host?.toLowerCase() === new URL(origin).host && (base === '' || below.startsWith(`${base}/`))
      ? below.slice(base.length) || '/'
      : undefined
  }

  #isShown(entry: Entry): boolean {
    return entry.url !== null && this.#snapshot.outline.records.get(entry.url) === entry
  }
}
