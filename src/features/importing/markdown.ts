import { join } from 'node:path'
import { isRecordName } from '#core/layout.ts'
import { filesBelow, mustBeFolder } from './folder.ts'
import type { Item, OpenReader, Reader, ReadingPlace, SourceFile } from './item.ts'
import { isMediaName } from './media-files.ts'
import { recordOfFile } from './pages.ts'

/** Opens any folder of Markdown: its first-level folders are types, as those of `content/` are. */
export const openMarkdown: OpenReader = async ({ path }) => {
  await mustBeFolder(path)
  return new MarkdownFolder(path)
}

class MarkdownFolder implements Reader {
  readonly #root: string

  constructor(root: ReadingPlace['path']) {
    this.#root = root
  }

  async *files(): AsyncGenerator<SourceFile> {
    for await (const path of filesBelow(this.#root)) if (isMediaName(path)) yield { path: join(this.#root, path), to: path }
  }

  async *items(): AsyncGenerator<Item> {
    const roots = { absolute: [this.#root], within: this.#root }
    for await (const path of filesBelow(this.#root)) {
      if (isRecordName(path)) yield await recordOfFile(this.#root, path, path, roots)
      else if (!isMediaName(path)) yield { is: 'left', from: path, reason: 'files that are neither texts nor media' }
    }
  }
}
