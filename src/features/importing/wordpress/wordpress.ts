import { dirname, join } from 'node:path'
import { InvalidInput, NotFound } from '#lib/errors.ts'
import { filesBelow, isFile, isFolder } from '../folder.ts'
import type { Item, LeftItem, OpenReader, Reader, ReadingPlace, SourceFile } from '../item.ts'
import { isMediaName } from '../media-files.ts'
import { Ancestors } from './ancestors.ts'
import { Attachments, SIZED } from './attachments.ts'
import { hiddenBy, idLike, recordOf, type Surroundings } from './records.ts'
import { KeptUploads } from './restrictions.ts'
import { readWxr, type WxrAuthor, type WxrItem, type WxrTerm } from './wxr.ts'

const UPLOADS = ['uploads', 'wp-content/uploads']
const TAXONOMIES: ReadonlyMap<string, string> = new Map([
  ['category', 'categories'],
  ['post_tag', 'tags'],
])
/** Sorts of items that are settings of WordPress, not texts. */
const APART: ReadonlySet<string> = new Set([
  ...[
    'revision',
    'nav_menu_item',
    'custom_css',
    'customize_changeset',
    'oembed_cache',
    'user_request',
    'wp_block',
    'wp_template',
  ],
  ...['wp_template_part', 'wp_global_styles', 'wp_navigation', 'wp_font_family', 'wp_font_face'],
])

/** Opens an export of WordPress: the XML file, or the folder that it lies in with `uploads`. */
export const openWordPress: OpenReader = async (place) => {
  if (!(await isFile(place.path)) && !(await isFolder(place.path)))
    throw new NotFound(`There is no export at ${place.path}.`, 'In WordPress: Tools, Export, All content.')
  const path = (await isFile(place.path)) ? place.path : await exportIn(place.path)
  return new WordPressExport(place, path)
}

async function exportIn(folder: string): Promise<string> {
  const found: string[] = []
  for await (const path of filesBelow(folder, (path) => path.includes('/'))) if (path.endsWith('.xml')) found.push(path)
  const [one, ...others] = found
  if (one === undefined) throw new InvalidInput({ path: [`There is no export of WordPress (.xml) in ${folder}.`] })
  if (others.length > 0)
    throw new InvalidInput({ path: [`There are ${found.length} XML files in ${folder}: name the one to import.`] })
  return join(folder, one)
}

/** The facts of a whole export: of the site, and the logins of those who wrote anything that is public. */
interface AroundAll {
  readonly site: ReadonlyMap<string, string>
  readonly authors: ReadonlySet<string>
}

class WordPressExport implements Reader {
  readonly #place: ReadingPlace
  readonly #file: string

  constructor(place: ReadingPlace, file: string) {
    this.#place = place
    this.#file = file
  }

  async *files(): AsyncGenerator<SourceFile | LeftItem> {
    for (const folder of UPLOADS) {
      const root = join(dirname(this.#file), folder)
      const kept = new KeptUploads(root)
      for await (const path of filesBelow(root)) {
        if (!isMediaName(path) || (await isSmaller(root, path))) continue
        if (await kept.has(path)) yield { is: 'left', from: path, reason: 'files of uploads that were not for everyone' }
        else yield { path: join(root, path), to: path }
      }
    }
  }

  async *items(): AsyncGenerator<Item> {
    const name = this.#file.slice(this.#file.lastIndexOf('/') + 1)
    const around = await this.#surroundings()
    yield* this.#notes(around, name)
    for await (const part of readWxr(this.#file)) {
      if (part.is === 'broken') yield { is: 'problem', file: name, message: part.message }
      else if (part.is === 'author') yield authorOf(part, name, around.authors)
      else if (part.is === 'term') yield* termOf(part, name)
      else if (part.is === 'item') yield* this.#itemOf(part, around)
    }
  }

  /** Attachments come after the texts that show them, parents after their children: so the export is read twice. */
  async #surroundings(): Promise<Surroundings & AroundAll> {
    const site = new Map<string, string>()
    const attachments = new Attachments(UPLOADS.map((folder) => join(dirname(this.#file), folder)))
    const pages = new Map<string, { readonly slug: string; readonly parent: string }>()
    const ancestors = new Ancestors()
    const written: { creator: string; post_type: string; post_parent: string }[] = []
    for await (const part of readWxr(this.#file)) {
      if (part.is === 'site') site.set(part.name, part.text.trim())
      if (part.is !== 'item') continue
      const { post_type = 'post', post_id = '', post_name = '', post_parent = '', creator = '' } = part.texts
      if (post_type !== 'attachment' && !APART.has(post_type)) {
        const isHidden = hiddenBy(part) !== undefined
        ancestors.add(part.texts, isHidden)
        if (!isHidden) written.push({ creator, post_type, post_parent })
      }
      if (post_type === 'attachment') attachments.add(part)
      if (post_type === 'page') pages.set(post_id, { slug: post_name, parent: post_parent })
    }
    const authors = new Set(written.filter((text) => ancestors.hiding(text) === undefined).map(({ creator }) => creator))
    return { site, attachments, ancestors, pages, authors, types: this.#place.types }
  }

  *#itemOf(item: WxrItem, around: Surroundings): Generator<Item> {
    const { post_type = 'post', status = '', title = '', post_id = '' } = item.texts
    const from = `${post_type} ${post_id} (${title.trim() || 'untitled'})`
    if (post_type === 'attachment') return
    if (APART.has(post_type)) yield { is: 'left', from, reason: `what is no text of its own: ${post_type}` }
    else if (status === 'trash') yield { is: 'left', from, reason: 'texts in the bin' }
    else if (status === 'auto-draft') yield { is: 'left', from, reason: 'drafts that were never saved' }
    else if (item.isCut)
      yield { is: 'problem', file: from, message: 'The text is larger than a record may be (2 MiB).', hint: 'Divide it.' }
    else yield recordOf(item, from, around)
    if (item.comments > 0) yield { is: 'left', from, reason: 'texts whose comments are not taken over' }
  }

  *#notes(
    { site, attachments }: { readonly site: ReadonlyMap<string, string>; readonly attachments: Attachments },
    from: string,
  ): Generator<Item> {
    const description = site.get('description') ?? ''
    if (description !== '') yield { is: 'data', from, kind: 'settings', id: 'site', set: { tagline: description } }
    const said = [
      ['name', site.get('title')],
      ['url', site.get('base_blog_url') ?? site.get('link')],
      ['locale', site.get('language')],
    ].flatMap(([name, value]) => (value ? [`${name}: ${JSON.stringify(value)}`] : []))
    if (said.length > 0)
      yield { is: 'note', text: `Say in cms.config.yaml what the site is called: site: { ${said.join(', ')} }` }
    if (attachments.count > 0 && !attachments.hasFolder)
      yield {
        is: 'note',
        text: `The export names ${attachments.count.toLocaleString('en')} files of media: put the folder wp-content/uploads beside it, or fetch those that texts show with --fetch.`,
      }
  }
}

/** Returns whether WordPress made a picture of a larger one beside it. */
async function isSmaller(root: string, path: string): Promise<boolean> {
  const whole = path.replace(SIZED, '')
  return whole !== path && (await isFile(join(root, whole)))
}

/** WordPress had no page of who wrote nothing that is public. */
function authorOf({ login, name }: WxrAuthor, from: string, open: ReadonlySet<string>): Item {
  const hidden = open.has(login) ? undefined : 'authors of nothing that was public'
  return { is: 'record', from, type: 'authors', id: idLike(login), set: { title: name }, body: '', hidden, locate: () => [] }
}

function* termOf({ taxonomy, slug, name, parent, description }: WxrTerm, from: string): Generator<Item> {
  const ours = TAXONOMIES.get(taxonomy)
  if (ours === undefined) {
    if (taxonomy !== 'nav_menu' && taxonomy !== 'post_format')
      yield {
        is: 'left',
        from: `${taxonomy} ${slug}`,
        reason: `terms of taxonomies that are not categories or tags (${taxonomy})`,
      }
    return
  }
  const below = parent === '' || ours !== 'categories' ? {} : { parent: idLike(parent) }
  const set = { name, ...(description.trim() !== '' && { description: description.trim() }), ...below }
  yield { is: 'data', from, kind: `taxonomy/${ours}`, id: idLike(slug), set }
}
