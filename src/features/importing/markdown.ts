import { join } from 'node:path'
import { isRecordName } from '#core/files/layout.ts'
import { besideHidden, HiddenFolders } from './bundles.ts'
import { withoutComments } from './comments.ts'
import { filesBelow, isBelow, isFile, isFolder, mustBeFolder } from './folder.ts'
import type { Item, LeftItem, OpenReader, Reader, ReadingPlace, SourceFile } from './item.ts'
import { isMediaName } from './media-files.ts'
import { recordOfFile } from './pages.ts'
import { type Selection, selectionIn } from './selection.ts'
import { mustBeOf } from './tells.ts'

/** Opens any folder of Markdown: its first-level folders are types, as those of `content/` are. */
export const openMarkdown: OpenReader = async (place) => {
  await mustBeFolder(place.path)
  await mustBeOf('markdown', place.path)
  return new MarkdownFolder(place)
}

class MarkdownFolder implements Reader {
  readonly #root: string
  readonly #now: number
  #selection: Promise<Selection> | undefined

  constructor({ path, now }: ReadingPlace) {
    this.#root = path
    this.#now = now
  }

  async *files(): AsyncGenerator<SourceFile | LeftItem> {
    const selection = await this.#selected()
    const hidden = new HiddenFolders(this.#root, this.#now, (path) => selection.leavesOut(path))
    for await (const path of filesBelow(this.#root)) {
      if (!isMediaName(path)) continue
      // Texts in such folders are left out, or drafts.
      if (/(?:^|\/)_(?!posts\/)/.test(path) || (await hidden.hides(path))) yield besideHidden(path)
      else yield { path: join(this.#root, path), to: path }
    }
  }

  async *items(): AsyncGenerator<Item> {
    const roots = { absolute: [this.#root], within: this.#root }
    const selection = await this.#selected()
    const isObsidian = await isBelow(this.#root, (folder) => isFolder(join(folder, '.obsidian')))
    const isDocusaurus = await isBelow(this.#root, hasDocusaurus)
    for await (const path of filesBelow(this.#root)) {
      const item = isRecordName(path) ? await recordOfFile(this.#root, path, path, roots) : undefined
      if (item?.is === 'record') {
        const body = isObsidian ? withoutComments(item.body, 'obsidian') : item.body
        const hidden = selection.reasonFor(path, item.data ?? {}, item.body)
        yield { ...item, hidden, body: isDocusaurus || /\.mdx$/i.test(path) ? withoutComments(body, 'mdx') : body }
      } else if (item) yield item
      else if (!isMediaName(path)) yield { is: 'left', from: path, reason: 'files that are neither texts nor media' }
    }
  }

  #selected(): Promise<Selection> {
    this.#selection ??= selectionIn(this.#root)
    return this.#selection
  }
}

/** Docusaurus reads its Markdown as MDX, whatever the names of the files. */
async function hasDocusaurus(folder: string): Promise<boolean> {
  const files = await Promise.all(['js', 'ts', 'mjs', 'cjs'].map((ending) => isFile(join(folder, `docusaurus.config.${ending}`))))
  return files.includes(true)
}
