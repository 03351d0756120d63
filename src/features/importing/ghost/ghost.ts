import { readFile, stat } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import type { ContentTypes } from '#core/types/content-type.ts'
import { yesOrNo } from '#frontmatter/other-tools.ts'
import { InvalidInput, NotFound } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { filesBelow, isFile, isFolder, objectOf, objectsOf, textOf } from '../folder.ts'
import type { Item, OpenReader, Reader, ReadingPlace, SourceFile } from '../item.ts'
import { isMediaName } from '../media-files.ts'
import { likeSlug } from '../places.ts'
import { hiddenBy, recordOf } from './records.ts'

/** The most bytes of an export: it is one document of JSON, and in memory as a whole. */
const LARGEST = 256 * 1024 * 1024
const FOLDERS = ['content', '.']
const KINDS = ['images', 'media', 'files']

/** Opens an export of Ghost: the JSON file, or the folder that it lies in with `content/images`. */
export const openGhost: OpenReader = async (place) => {
  const file = (await isFolder(place.path)) ? await exportIn(place.path) : place.path
  if (!(await isFile(file)))
    throw new NotFound(`There is no export at ${place.path}.`, 'In Ghost: Settings, Migration tools, Export.')
  if ((await stat(file)).size > LARGEST) throw new InvalidInput({ path: [`${file} is larger than 256 MiB.`] })
  return new GhostExport(place, file, await tablesIn(file))
}

async function exportIn(folder: string): Promise<string> {
  const found: string[] = []
  for await (const path of filesBelow(folder, (path) => path.includes('/'))) if (path.endsWith('.json')) found.push(path)
  const [one, ...others] = found
  if (one === undefined) throw new InvalidInput({ path: [`There is no export of Ghost (.json) in ${folder}.`] })
  if (others.length > 0)
    throw new InvalidInput({ path: [`There are ${found.length} JSON files in ${folder}: name the one to import.`] })
  return join(folder, one)
}

/** The rows of an export by the names of their tables. */
export type Tables = ReadonlyMap<string, readonly Fields[]>

async function tablesIn(file: string): Promise<Tables> {
  let whole: Json
  try {
    whole = JSON.parse((await readFile(file, 'utf8')).replace(/^\ufeff/, ''))
  } catch (error) {
    throw new InvalidInput({ path: [`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`] })
  }
  const [first] = objectsOf(objectOf(whole).db)
  const data = objectOf((first ?? objectOf(whole)).data)
  if (!Array.isArray(data.posts)) throw new InvalidInput({ path: [`${file} is no export of Ghost: it has no posts.`] })
  return new Map(Object.entries(data).map(([name, rows]) => [name, objectsOf(rows)]))
}

class GhostExport implements Reader {
  readonly #types: ContentTypes
  readonly #now: number
  readonly #folder: string
  readonly #name: string
  readonly #tables: Tables

  constructor({ types, now }: ReadingPlace, file: string, tables: Tables) {
    this.#types = types
    this.#now = now
    this.#folder = dirname(file)
    this.#name = file.slice(file.lastIndexOf('/') + 1)
    this.#tables = tables
  }

  async *files(): AsyncGenerator<SourceFile> {
    for (const folder of FOLDERS)
      for (const kind of KINDS) {
        const root = join(this.#folder, folder, kind)
        for await (const path of filesBelow(root, (path) => path === 'size' || path === 'thumbnail'))
          if (isMediaName(path) && !/_o\.\w+$/.test(path)) yield { path: join(root, path), to: path }
      }
  }

  async *items(): AsyncGenerator<Item> {
    const said = this.#said()
    yield* this.#settings(said)
    // Such a site asked all its readers for a password.
    const closed = yesOrNo(said.get('is_private') ?? null) === true ? 'the whole site was private' : undefined
    const tags = new Map(this.#rows('tags').map((tag) => [String(tag.id), tag]))
    const users = new Map(this.#rows('users').map((user) => [String(user.id), user]))
    const [tagsOf, authorsOf, metaOf] = ['posts_tags', 'posts_authors', 'posts_meta'].map((name) => byPost(this.#rows(name)))
    const told = new Set<string>()
    const writersOf = (post: Fields) =>
      (authorsOf?.get(String(post.id)) ?? [{ author_id: post.author_id ?? null }]).flatMap((row) => found(users, row.author_id))
    const isOpen = (post: Fields) =>
      closed === undefined && hiddenBy(post, metaOf?.get(String(post.id))?.[0] ?? {}, '', this.#now) === undefined
    const tagged = (post: Fields) => (tagsOf?.get(String(post.id)) ?? []).flatMap((row) => found(tags, row.tag_id))
    const shown = this.#rows('posts').filter(isOpen)
    const [open, openTags] = [new Set(shown.flatMap(writersOf)), new Set(shown.flatMap(tagged))]
    for (const tag of tags.values()) yield tagOf(tag, { from: this.#name, isOpen: openTags.has(tag) })
    for (const post of this.#rows('posts')) {
      const id = String(post.id)
      const authors = writersOf(post)
      for (const author of authors) {
        const slug = slugOf(author)
        if (!told.has(slug)) yield authorOf(author, slug, { from: this.#name, isOpen: open.has(author) })
        told.add(slug)
      }
      const named = tagged(post)
      const [meta = {}] = metaOf?.get(id) ?? []
      const record = recordOf(post, {
        ...{ meta, authors: authors.map(slugOf), tags: named.filter((tag) => !isInternal(tag)).map(slugOf), now: this.#now },
        types: this.#types,
        locate: (href) => this.#pathsOf(href),
      })
      yield closed === undefined ? record : { ...record, hidden: record.hidden ?? closed }
    }
  }

  #said(): ReadonlyMap<string, string | undefined> {
    // A switch may stand there as itself or as a word.
    return new Map(
      this.#rows('settings').map(({ key, value = null }) => [
        String(key),
        textOf(typeof value === 'object' ? null : String(value)),
      ]),
    )
  }

  *#settings(said: ReadonlyMap<string, string | undefined>): Generator<Item> {
    const description = said.get('description')
    if (description !== undefined)
      yield { is: 'data', from: this.#name, kind: 'settings', id: 'site', set: { tagline: description } }
    const names = [
      ['name', said.get('title')],
      ['locale', said.get('locale') ?? said.get('lang')],
      ['timezone', said.get('timezone')],
    ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`]))
    if (names.length > 0)
      yield { is: 'note', text: `Say in cms.config.yaml what the site is called: site: { ${names.join(', ')} }` }
    if (this.#types.get('posts')?.permalink !== '/{slug}')
      yield {
        is: 'note',
        text: 'With types: { posts: { permalink: "/{slug}" } } in cms.config.yaml, posts stay at their addresses.',
      }
  }

  #rows(table: string): readonly Fields[] {
    return this.#tables.get(table) ?? []
  }

  #pathsOf(href: string): string[] {
    const [, kind = '', below] =
      /\/content\/(images|media|files)\/(?:size\/[\w-]{1,20}\/(?:format\/\w{1,10}\/)?)?([^?#]+)/.exec(href) ?? []
    if (below === undefined) return []
    return FOLDERS.map((folder) => join(this.#folder, folder, kind))
      .map((root) => ({ root, path: normalize(join(root, decoded(below))) }))
      .filter(({ root, path }) => path.startsWith(`${root}/`))
      .map(({ path }) => path)
  }
}

function found(rows: ReadonlyMap<string, Fields>, id: Json | undefined): Fields[] {
  const row = rows.get(String(id))
  return row ? [row] : []
}

/** Rows by the post that they are of, in their order. */
function byPost(rows: readonly Fields[]): ReadonlyMap<string, readonly Fields[]> {
  const found = new Map<string, Fields[]>()
  for (const row of rows) {
    const list = found.get(String(row.post_id))
    if (list) list.push(row)
    else found.set(String(row.post_id), [row])
  }
  for (const list of found.values()) list.sort((a, b) => Number(a.sort_order ?? 0) - Number(b.sort_order ?? 0))
  return found
}

function isInternal({ visibility, name }: Fields): boolean {
  return visibility === 'internal' || String(name).startsWith('#')
}

/** Ghost tells nobody of a tag that nothing public has. */
function tagOf(tag: Fields, { from, isOpen }: { from: string; isOpen: boolean }): Item {
  const description = textOf(tag.description)
  if (!isOpen && !isInternal(tag)) return { is: 'left', from: String(tag.name), reason: 'tags of nothing that was public' }
  if (isInternal(tag)) return { is: 'left', from: String(tag.name), reason: 'tags that readers did not see' }
  const set = { name: textOf(tag.name) ?? slugOf(tag), ...(description !== undefined && { description }) }
  return { is: 'data', from, kind: 'taxonomy/tags', id: slugOf(tag), set }
}

/** Never with an address of a person: records are public. Ghost had no page of who wrote nothing that is public. */
function authorOf({ name, bio }: Fields, slug: string, { from, isOpen }: { from: string; isOpen: boolean }): Item {
  const set = { title: textOf(name) ?? slug }
  const hidden = isOpen ? undefined : 'authors of nothing that was public'
  return { is: 'record', from, type: 'authors', id: slug, set, body: textOf(bio) ?? '', hidden, locate: () => [] }
}

function slugOf({ slug, name, id }: Fields): string {
  return likeSlug(textOf(slug) ?? textOf(name) ?? '') || `id-${likeSlug(String(id))}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
