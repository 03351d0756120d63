import { join } from 'node:path'
import { isRecordName } from '#core/files/layout.ts'
import { besideHidden, HiddenFolders } from './bundles.ts'
import { withoutComments } from './comments.ts'
import { filesBelow, isFolder, mustBeFolder } from './folder.ts'
import type { Item, LeftItem, OpenReader, Reader, ReadingPlace, SourceFile } from './item.ts'
import { isMediaName } from './media-files.ts'
import { recordOfFile } from './pages.ts'
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

  constructor({ path, now }: ReadingPlace) {
    this.#root = path
    this.#now = now
  }

  async *files(): AsyncGenerator<SourceFile | LeftItem> {
    const hidden = new HiddenFolders(this.#root, this.#now)
    for await (const path of filesBelow(this.#root)) {
      if (!isMediaName(path)) continue
      // Texts in such folders are left out, or drafts.
      if (/(?:^|\/)_(?!posts\/)/.test(path) || (await hidden.hides(path))) yield besideHidden(path)
      else yield { path: join(this.#root, path), to: path }
    }
  }

  async *items(): AsyncGenerator<Item> {
    const roots = { absolute: [this.#root], within: this.#root }
    const isObsidian = await isFolder(join(this.#root, '.obsidian'))
    for await (const path of filesBelow(this.#root)) {
      const item = isRecordName(path) ? await recordOfFile(this.#root, path, path, roots) : undefined
      if (item?.is === 'record' && isObsidian) yield { ...item, body: withoutComments(item.body, 'obsidian') }
      else if (item) yield item
      else if (!isMediaName(path)) yield { is: 'left', from: path, reason: 'files that are neither texts nor media' }
    }
  }
}
