import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Measured } from '#core/media/measured.ts'
import { TooLarge } from '#lib/errors.ts'
import { short } from '#lib/text/short-hash.ts'
import type { SourceFile } from './item.ts'
import { isMediaName } from './media-files.ts'

/** Gets the bytes at an address. Resolves with a reason where it may not, or there are none. */
export type Fetcher = (url: URL, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array> | { readonly reason: string }>

/** A file that was fetched, or the reason why there is none. */
export type Fetched = SourceFile | { readonly reason: string }

/** The most pictures that one import fetches, and their bytes together. */
const MOST_FILES = 5_000
const MOST_BYTES = 2 * 1024 * 1024 * 1024

/** Fetches pictures that texts show from elsewhere, each once, into a folder that is removed with `close`. */
export class Fetching {
  readonly #fetcher: Fetcher
  readonly #most: number
  readonly #signal: AbortSignal
  #files = 0
  #folder: Promise<string> | undefined
  #bytes = 0

  /** `most` is the most bytes of one file. */
  constructor(fetcher: Fetcher, most: number, signal: AbortSignal) {
    this.#fetcher = fetcher
    this.#most = most
    this.#signal = signal
  }

  /** Fetches what is at an address that `placeOfFetched` has a place for. Never throws for what the network does. */
  async fetch(url: string): Promise<Fetched> {
    if (++this.#files > MOST_FILES) return { reason: `more than ${MOST_FILES.toLocaleString('en')} pictures` }
    const to = placeOfFetched(url) ?? ''
    const path = join(await this.#opened(), `${this.#files}${to.slice(to.lastIndexOf('.'))}`)
    try {
      const content = await this.#fetcher(new URL(url), this.#signal)
      if ('reason' in content) return content
      const measured = new Measured(content, Math.min(this.#most, MOST_BYTES - this.#bytes))
      await pipeline(measured.pieces(), createWriteStream(path))
      this.#bytes += measured.end().size
      return { path, to }
    } catch (error) {
      this.#signal.throwIfAborted()
      return { reason: error instanceof TooLarge ? 'larger than media may be' : 'the network failed' }
    }
  }

  async close(): Promise<void> {
    const folder = await this.#folder
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }

  #opened(): Promise<string> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'quire-import-'))
    return this.#folder
  }
}

/** Returns the path below `media/` for what is at an address, its parameters told apart; undefined for what is no picture by its name. */
export function placeOfFetched(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { host, pathname, search } = new URL(text)
  if (!isMediaName(pathname)) return undefined
  const path = decodedPath(pathname)
  const dot = path.lastIndexOf('.')
  const more = search === '' ? '' : `-${short(search)}`
  return `fetched/${host.replace(':', '-')}${path.slice(0, dot)}${more}${path.slice(dot)}`
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
