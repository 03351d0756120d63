import type { Key } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { Failure, InvalidInput } from '#lib/errors.ts'
import { failureOf } from '#lib/files/atomic.ts'
import { type CopyFolder, canBeCopied, copyFile } from './copies.ts'
import { type Fetching, placeOfFetched } from './fetching.ts'
import type { Item, Reader, SourceFile } from './item.ts'
import type { MediaFiles } from './media-files.ts'
import type { Tally } from './report.ts'
import type { Writing } from './written.ts'

/** The dependencies of files that are taken over. */
export interface IncomingFilesDeps {
  readonly store: Store
  readonly dryRun: boolean
  /** The folder of the site, where it has such files on the disk. */
  readonly roots: Readonly<Record<CopyFolder, string | undefined>>
  /** Fetches pictures that lie elsewhere; without it, none is. */
  readonly fetching?: Fetching | undefined
  readonly onProgress: (done: number) => void
}

/** The parts of one import that files go through. */
interface Parts {
  readonly media: MediaFiles
  readonly writing: Writing
  readonly tally: Tally
}

type CopyItem = Extract<Item, { is: 'copy' }>

/** Takes over files: as media, of the source and of the network, and as they are. */
export class IncomingFiles {
  readonly #deps: IncomingFilesDeps
  readonly #media: MediaFiles
  readonly #writing: Writing
  readonly #tally: Tally

  constructor(deps: IncomingFilesDeps, { media, writing, tally }: Parts) {
    this.#deps = deps
    this.#media = media
    this.#writing = writing
    this.#tally = tally
  }

  /** Takes the files that a reader has, and writes them. */
  async take(reader: Reader): Promise<void> {
    for await (const file of reader.files()) {
      if ('reason' in file) {
        this.#tally.leave(file.from, file.reason)
        continue
      }
      const key = this.#media.add(file)
      if (key) await this.#takeFile(file, key, file.path)
      else this.#tally.leave(file.to, 'files whose names another file has in media/')
      this.#deps.onProgress(this.#tally.done)
    }
    await this.#writing.flush()
  }

  /** Texts name it by `name`: its path, or the address that it was fetched from. */
  async #takeFile(file: SourceFile, key: Key, name: string): Promise<void> {
    const failed = (error: unknown) => {
      this.#media.drop(name)
      if (!(error instanceof Failure)) throw error
      this.#tally.problem({ file: file.to, message: messageOf(error), hint: error.hint })
    }
    try {
      const coming = await this.#media.coming(file, key)
      // Texts go on naming it as before, so that they are as they were imported.
      if ('make' in coming && (await this.#writing.wasTaken(key))) return this.#keep(file.to)
      if ('make' in coming) {
        const done = () => this.#tally.file('created')
        await this.#writing.add({ change: coming.make, bytes: 64 * 1024, done, failed })
        return
      }
      if (coming.outcome === 'kept') this.#keep(file.to)
      else this.#tally.file(coming.outcome)
    } catch (error) {
      failed(error)
    }
  }

  #keep(from: string): void {
    this.#tally.file('kept')
    this.#tally.keep(from)
  }

  /** Copies a file into the site's folder, where it has such files there. */
  async copy(item: CopyItem): Promise<void> {
    const { folder, from } = item
    const root = this.#deps.roots[folder]
    if (root === undefined) return this.#tally.leave(from, `files of ${folder}/, which this site has not on the disk`)
    if (!canBeCopied(item)) return this.#tally.leave(from, `files that can't be in ${folder}/ by their names`)
    try {
      const outcome = await copyFile(item, root, this.#deps.dryRun)
      this.#tally.document(folder, outcome)
      if (outcome === 'kept') this.#tally.keep(from)
      if (outcome === 'created') this.#tally.note(`Files of ${folder}/ are in no commit yet: add them with git.`)
    } catch (error) {
      const failure = failureOf(error)
      if (!(failure instanceof Failure)) throw failure
      this.#tally.problem({ file: from, message: messageOf(failure), hint: failure.hint })
    }
  }

  /** Fetches a picture, where that is asked for and it was not fetched before. */
  async fetch(url: string): Promise<void> {
    const to = placeOfFetched(url)
    const key = to === undefined ? undefined : this.#media.add({ path: url, to })
    if (key && (await this.#deps.store.get(key, 'once'))) this.#tally.file('same')
    else if (key && (await this.#writing.wasTaken(key))) this.#keep(url)
    else await this.#fetchNew(url, key)
  }

  async #fetchNew(url: string, key: Key | undefined): Promise<void> {
    const { fetching, dryRun } = this.#deps
    const leave = (reason: string) => {
      this.#media.drop(url)
      this.#tally.leave(url, `pictures elsewhere${reason}`)
    }
    if (!fetching) return leave(': --fetch brings them')
    if (!key) return leave(' whose addresses have no ending of a picture')
    if (dryRun) return leave(', which would be fetched')
    const found = await fetching.fetch(url)
    if ('reason' in found) leave(`: ${found.reason}`)
    else await this.#takeFile(found, key, url)
  }
}

/** Returns what a failure says, of each of its fields. */
export function messageOf(error: Failure): string {
  return error instanceof InvalidInput ? Object.values(error.errors).flat().join(' ') : error.message
}
