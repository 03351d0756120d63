import { createHash, randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { Cache } from '#lib/cache.ts'
import { cacheKey } from '#lib/cache-key.ts'
import { type Clock, systemClock } from '#lib/clock.ts'
import { NotLetIn, Semaphore } from '#lib/concurrency/semaphore.ts'
import { Unavailable } from '#lib/errors.ts'
import { failureOf } from '#lib/files/atomic.ts'
import type { BytesReader } from '../bytes.ts'
import { broken, MediaFault } from '../fault.ts'
import { bytesOfCut } from '../pieces.ts'
import { MEDIA_TYPES } from '../types.ts'
import { DrawProcess } from './draw-process.ts'
import { KeptPictures, nameWithHeight } from './kept-pictures.ts'
import type { DrawAnswer, PictureRequest } from './request.ts'
import { tagOf } from './tag.ts'

/** Pictures that are made at once, and those that wait for their turn. */
const AT_ONCE = 2
const MOST_WAITING = 256

/** Seconds that one picture may take, and for which one that failed is not tried again. */
const MOST_SECONDS = 20
const FAILED_MS = 600_000

export interface PicturesOptions {
  /** A folder of its own for what is made. */
  readonly folder: string
  /** Bytes that it may come to. */
  readonly bytes: number
  /** Pixels of a picture, times its frames, that are decoded at most. */
  readonly maxPixels: number
  readonly clock?: Clock
  /** Seconds that one picture may take. */
  readonly seconds?: number
  /** Milliseconds for which the process that makes pictures is kept with nothing to do. */
  readonly idleMs?: number
}

/** The bytes that a picture is made of; `ref` is another name for every other bytes. */
export interface PictureSource {
  readonly ref: string
  open(): Promise<BytesReader>
}

/** A picture that was made: a file that stays for a minute at least. `tag` is another for every other picture. */
export interface MadePicture {
  readonly path: string
  readonly size: number
  readonly mime: string
  readonly tag: string
}

/** 503: more pictures are being made than can wait. */
export class PicturesBusy extends Unavailable {}

/** Smaller pictures, each made once and kept. */
export class Pictures {
  readonly #options: PicturesOptions
  readonly #clock: Clock
  readonly #kept: KeptPictures
  readonly #process: DrawProcess
  readonly #semaphore = new Semaphore(AT_ONCE, MOST_WAITING)
  readonly #making = new Map<string, Promise<MadePicture | undefined>>()
  readonly #failed = new Cache<MediaFault>({ most: 1000 })
  readonly #seconds: number
  #isMissing = false

  constructor(options: PicturesOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#kept = new KeptPictures(options.folder, options.bytes, this.#clock)
    this.#seconds = options.seconds ?? MOST_SECONDS
    this.#process = new DrawProcess(AT_ONCE, options.idleMs)
  }

  /**
   * Resolves with a picture, made now or before; undefined where sharp is not installed. Rejects with `MediaFault` for one that can't
   * be decoded in its limits, and with `PicturesBusy`. Clients have their turns one after the other, and so have the pictures that
   * one of them asks for, whatever their sizes.
   */
  async make(source: PictureSource, asked: PictureRequest, client = ''): Promise<MadePicture | undefined> {
    if (this.#isMissing) return undefined
    const tag = tagOf(source.ref, asked, this.#options.maxPixels)
    const making = this.#making.get(tag)
    if (making) return await making
    const made = this.#found(tag, source, asked, client).finally(() => this.#making.delete(tag))
    this.#making.set(tag, made)
    return await made
  }

  /** Resolves with whether smaller pictures can be made here: sharp is installed, and fits this machine. */
  async canMake(): Promise<boolean> {
    const answer = await this.#process.ask({ seconds: this.#seconds }).catch(() => undefined)
    return answer !== undefined && !answer.isMissing
  }

  /** Ends the process that makes pictures. */
  close(): void {
    this.#semaphore.close()
    this.#process.close()
  }

  async #found(tag: string, source: PictureSource, asked: PictureRequest, client: string): Promise<MadePicture | undefined> {
    const { mime, endings } = MEDIA_TYPES[asked.format]
    const file = fileName(source, asked, `${tag}.${endings[0]}`)
    const found = await this.#kept.find(file)
    if (found) return { ...found, mime, tag }
    const now = this.#clock.now()
    const fault = this.#failed.get(tag, undefined, now)
    if (fault) throw fault
    try {
      return await this.#semaphore.run(() => this.#drawn(file, tag, source, asked), [client, source.ref])
    } catch (error) {
      if (error instanceof NotLetIn) throw new PicturesBusy('Too many pictures are being made just now.', 5)
      if (error instanceof MediaFault) this.#failed.set(tag, error, undefined, { from: now, until: now + FAILED_MS })
      throw failureOf(error)
    }
  }

  /** The bytes are copied when it is their turn: few copies are there at once. */
  async #drawn(file: string, tag: string, source: PictureSource, asked: PictureRequest): Promise<MadePicture | undefined> {
    const [from, to] = [await this.#unfinished(), await this.#unfinished()]
    try {
      await copy(await source.open(), from)
      const answer = await this.#draw(from, to, asked)
      this.#isMissing ||= answer.isMissing === true
      if (answer.isMissing) return undefined
      if (answer.isFailed) throw broken('picture', 'The picture can’t be decoded.')
      return { ...(await this.#kept.keep(to, file)), mime: MEDIA_TYPES[asked.format].mime, tag }
    } finally {
      await Promise.all([from, to].map((path) => rm(path, { force: true })))
    }
  }

  async #unfinished(): Promise<string> {
    return await this.#kept.unfinished(randomBytes(8).toString('hex'))
  }

  async #draw(from: string, to: string, asked: PictureRequest): Promise<DrawAnswer> {
    const { maxPixels } = this.#options
    const { format, width, height, focalPoint } = asked
    const drawing = { from, to, maxPixels, format, width, height, focalPoint }
    return await this.#process.ask({ seconds: this.#seconds, drawing }).catch(() => {
      throw broken('picture', 'The picture takes too long to be decoded.')
    })
  }
}

function fileName({ ref }: PictureSource, { width, height }: PictureRequest, name: string): string {
  if (height === undefined) return name
  const group = createHash('sha256').update(cacheKey(ref, width)).digest('hex').slice(0, 32)
  return nameWithHeight(group, height, name)
}

/** Writes all of a file's bytes into a new one. */
async function copy(reader: BytesReader, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    const all = { pieces: [{ start: 0, end: reader.size }], size: reader.size }
    for await (const chunk of bytesOfCut(reader, all)) await file.write(chunk)
  } finally {
    await file.close()
  }
}
