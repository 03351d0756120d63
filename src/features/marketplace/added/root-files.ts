import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeBeside } from '#lib/files/atomic.ts'

/** The text files in a site's root. */
export class RootFiles {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  /** The text of a file; '' where there is none. */
  async text(file: string): Promise<string> {
    try {
      return await readFile(join(this.#root, file), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
      throw error
    }
  }

  /** Replaces a file in one step, where it is another; durable when it resolves. */
  async write(file: string, text: string): Promise<void> {
    if (text === (await this.text(file))) return
    const path = join(this.#root, file)
    await rename(await writeBeside(path, Buffer.from(text), 0o644), path)
    await syncFolder(this.#root)
  }
}
