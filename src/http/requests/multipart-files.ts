import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { BusboyInstance } from '@fastify/busboy'
import { BadRequest, InvalidInput, TooLarge } from '#lib/errors.ts'
import { CUT_SHORT, type FormFile, parserOf } from './multipart.ts'

/** The most parts of a form: its files, and the texts before them. */
const MOST_PARTS = 120

/** The names that the field of files may have. */
const FIELDS: ReadonlySet<string> = new Set(['file', 'files[]'])

/**
 * A body of multipart/form-data with texts and, after them, any number of files (in the field `file` or `files[]`), which is read
 * only as far as it is asked for: nothing of it before `texts`, no file before `files`.
 */
export class FilesForm {
  readonly #raw: IncomingMessage
  readonly #parser: BusboyInstance
  readonly #texts: (readonly [name: string, value: string])[] = []
  /** Files that have begun to come; what comes of them waits in the connection. */
  readonly #waiting: { readonly filename: string; readonly content: Readable }[] = []
  #content: Readable | undefined
  #hasFiles = false
  #isBegun = false
  #isWhole = false
  #error: Error | undefined
  /** The fault of a text behind a file. */
  #late: Error | undefined
  #wake: () => void = () => undefined

  /** Throws UnsupportedMediaType where the request is no such form. */
  constructor(raw: IncomingMessage) {
    this.#raw = raw
    this.#parser = parserOf(raw, { parts: MOST_PARTS })
  }

  /**
   * Reads the texts that come before the first file. Throws InvalidInput where it is no whole form, BadRequest where it is broken
   * off, TooLarge for one of more than `most` bytes; so does `files`.
   */
  async texts(most: number): Promise<readonly (readonly [name: string, value: string])[]> {
    this.#begin(most)
    if (!this.#hasFiles) await this.#next()
    return this.#texts
  }

  /**
   * The files, one after the other: the next comes when one was read, and none after one that was not read to its end. One without a
   * name stands for none, and is left out.
   */
  async *files(): AsyncGenerator<FormFile> {
    for (;;) {
      await this.#next()
      const file = this.#waiting.shift()
      if (!file && this.#late) throw this.#late
      if (!file) return
      this.#content = file.content
      if (file.filename === '') file.content.resume()
      else {
        yield file
        if (!file.content.readableEnded) return this.end()
      }
    }
  }

  /** Reads no more: the rest of the body is let go by, so that its sender comes to read the answer. */
  end(): void {
    if (!this.#isWhole) this.#fail(new BadRequest('The form was not read to its end.'))
  }

  #begin(most: number): void {
    if (this.#isBegun) return
    this.#isBegun = true
    const [raw, parser] = [this.#raw, this.#parser]
    parser.on('field', (name, value, _isNameCut, isCut) => {
      // It is told at the end, however much of the form has come by now.
      if (this.#hasFiles) this.#late ??= wrong(name, `The ${name} must come before the files.`)
      else if (isCut) this.#fail(wrong(name, `The ${name} is too long.`))
      else if (value.includes('\ufffd')) this.#fail(wrong(name, `The ${name} must be text in UTF-8.`))
      else this.#texts.push([name, value])
    })
    parser.on('file', (name, content, filename) => {
      // What ends in the middle of a part is told by the parser as well.
      content.on('error', () => undefined)
      this.#hasFiles = true
      if (!FIELDS.has(name)) this.#fail(wrong(name, `There is no file "${name}" to be sent: its field is file.`))
      this.#waiting.push({ filename, content })
      this.#wake()
    })
    parser.on('partsLimit', () => this.#fail(wrong('file', `The form has more than ${MOST_PARTS} parts.`)))
    parser.on('error', () => this.#fail(wrong('file', CUT_SHORT)))
    parser.on('finish', () => {
      this.#isWhole = true
      this.#wake()
    })
    raw.on('close', () => raw.complete || this.#fail(new BadRequest('The body was broken off.')))
    let left = most
    raw.on('data', ({ length }: Buffer) => {
      left -= length
      if (left < 0) this.#fail(new TooLarge('The form is too large.'))
    })
    raw.pipe(parser)
  }

  /** Resolves when a file has begun to come, or the form is whole. */
  async #next(): Promise<void> {
    while (!this.#error && this.#waiting.length === 0 && !this.#isWhole)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    if (this.#error) throw this.#error
  }

  #fail(error: Error): void {
    if (this.#error) return
    this.#error = error
    this.#raw.unpipe(this.#parser)
    this.#raw.resume()
    for (const content of [this.#content, ...this.#waiting.map((one) => one.content)]) content?.destroy(error)
    this.#wake()
  }
}

function wrong(name: string, message: string): InvalidInput {
  return new InvalidInput({ [name]: [message] })
}
