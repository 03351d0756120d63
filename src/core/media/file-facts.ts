import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { Semaphore } from '#lib/concurrency/semaphore.ts'
import { Unavailable } from '#lib/errors.ts'
import type { BytesReader } from '#media/bytes.ts'
import { MediaFault } from '#media/fault.ts'
import { KeptFacts } from '../files/kept-facts.ts'
import type { SiteFile, SiteFiles } from '../files/site-files.ts'
import { endingOf } from './attachments.ts'

/** The measures of a picture, a film or sound; null where it has none, or they can't be told. */
export interface Measures {
  readonly width: number | null
  readonly height: number | null
  readonly duration: number | null
}

/** Measures with what tells whether smaller pictures can be made of it. */
export interface FullMeasures extends Measures {
  /** The type that its bytes tell, and `svg`; null where they tell none. */
  readonly type: string | null
  /** True where it is known to move. */
  readonly moves: boolean
  /** Pixels that are decoded to show it. */
  readonly pixels: number
}

/** Bytes of which there are facts: another `version` for every other bytes of a name. */
export interface MeasuredFile {
  readonly name: string
  readonly version: string
  reader(): BytesReader
}

/** Number of files of which each is cached. */
const MOST_KEPT = 10_000
/** Number of files that are read at once. */
const AT_ONCE = 2
/** Bytes of an SVG that are looked at. */
const BEGINNING = 16 * 1024
const NONE: FullMeasures = { width: null, height: null, duration: null, type: null, moves: false, pixels: 0 }

/** Facts about files that are no documents, told by their bytes and kept by the files' versions: none is read twice. */
export class FileFacts {
  readonly #siteFiles: SiteFiles
  readonly #checksums: KeptFacts<string>
  readonly #measures: KeptFacts<FullMeasures>
  readonly #semaphore = new Semaphore(AT_ONCE)

  /** `folder` is one in which the facts are kept for other processes, too; without it they are gone with this one. */
  constructor(siteFiles: SiteFiles, folder?: string) {
    this.#siteFiles = siteFiles
    this.#checksums = new KeptFacts(folder, 'checksums', MOST_KEPT)
    this.#measures = new KeptFacts(folder, 'measures', MOST_KEPT)
  }

  /** The SHA-256 of a file as a sidecar names it (`sha256:…`); null where the file is gone or changes. */
  checksum(file: SiteFile): Promise<string | null> {
    return this.#kept(this.#checksums, nameOf(file), file.version, () => this.#hash(file))
  }

  /** The measures of a file, which the first bytes of it tell. */
  measures(file: SiteFile): Promise<FullMeasures> {
    return this.measured({ name: nameOf(file), version: file.version, reader: () => this.#readerOf(file) })
  }

  /** As `measures`, of any bytes. */
  async measured({ name, version, reader }: MeasuredFile): Promise<FullMeasures> {
    return (await this.#kept(this.#measures, name, version, () => glanceAt(name, reader()))) ?? NONE
  }

  async #kept<T extends {}>(facts: KeptFacts<T>, name: string, version: string, read: () => Promise<T | null>) {
    const known = facts.get(name, version)
    if (known !== undefined) return known
    return this.#semaphore.run(async () => {
      const before = facts.get(name, version)
      const made = before ?? (await read())
      if (made !== null && before === undefined) facts.set(name, version, made)
      return made
    })
  }

  async #hash(file: SiteFile): Promise<string | null> {
    const hash = createHash('sha256')
    try {
      const bytes = await this.#siteFiles.open(file)
      if (!bytes) return null
      for await (const chunk of bytes) hash.update(chunk as Buffer)
    } catch {
      return null
    }
    return `sha256:${hash.digest('hex')}`
  }

  #readerOf(file: SiteFile): BytesReader {
    const read = async (start: number, end: number) => {
      const bytes = await this.#siteFiles.open(file, { start, end })
      if (!bytes) throw new Unavailable('The file is gone, or another by now.')
      return buffer(bytes)
    }
    return { size: file.size, read }
  }
}

/** Null where the bytes can't be had now. */
async function glanceAt(name: string, reader: BytesReader): Promise<FullMeasures | null> {
  const ending = endingOf(name)
  try {
    if (ending === 'svg') return await svgAt(reader)
    const [{ glance }, { shownSize }] = await Promise.all([import('#media/inspect.ts'), import('#media/picture.ts')])
    const seen = await glance(reader, { ending })
    const { width = null, height = null } = shownSize(seen)
    const { type, moves = false, pixels = 0, duration = null } = seen
    return { width, height, duration, type, moves, pixels }
  } catch (error) {
    // A broken file, or one of another type, has none.
    return error instanceof MediaFault ? NONE : null
  }
}

async function svgAt(reader: BytesReader): Promise<FullMeasures> {
  const { svgSize } = await import('#media/formats/svg.ts')
  const bytes = await reader.read(0, Math.min(reader.size, BEGINNING))
  return { ...NONE, type: 'svg', ...svgSize(bytes.toString('utf8')) }
}

function nameOf({ area, path }: SiteFile): string {
  return `${area}/${path}`
}
