import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { BadRequest, type FieldErrors, InvalidInput, TooLarge, UnsupportedMediaType } from '#lib/errors.ts'

/** A file of a form as it comes: its name as it was sent, without folders. */
export interface FormFile {
  readonly filename: string
  readonly content: AsyncIterable<Uint8Array>
}

/** The field of a form that has its file, and the most bytes of all the form. */
export interface FormShape {
  readonly field: string
  readonly most: number
}

/** A form that was read whole. `errors` has what is wrong with it by field: then it is not to be used. */
export interface Form<T> {
  readonly fields: ReadonlyMap<string, string>
  /** The result of taking the file; undefined where none was sent. */
  readonly file: T | undefined
  readonly errors: FieldErrors
}

/** The most of each in one form: parts, bytes of a field, bytes and lines of the headers of a part. */
const LIMITS = { parts: 20, fieldSize: 64 * 1024, headerSize: 16 * 1024, headerPairs: 20 }

/** The fault of a form that ends too early. */
export const CUT_SHORT = 'The form ends before it is whole.'

/**
 * Reads a body of multipart/form-data as it comes: texts, and one file in the field `field`, which `take` is given once and reads to
 * its end. Throws InvalidInput where it is no whole form, TooLarge for one of more than `most` bytes, BadRequest where it is broken
 * off, and what `take` throws; then the rest is let go by.
 */
export async function readForm<T>(
  raw: IncomingMessage,
  { field, most }: FormShape,
  take: (file: FormFile) => Promise<T>,
): Promise<Form<T>> {
  const parser = parserOf(raw)
  // Senders choose the names: an object has some of its own.
  const errors = new Map<string, string[]>()
  const fields = new Map<string, string>()
  let stream: Readable | undefined
  let taken: Promise<T> | undefined
  const blame = (name: string, message: string) => {
    errors.set(name, [message])
  }
  try {
    await new Promise<void>((resolve, reject) => {
      parser.on('field', (name, value, _nameCut, isCut) => {
        if (name === field) blame(name, `The ${field} must be sent as a file, with a filename.`)
        else if (fields.has(name)) blame(name, `The ${name} is there twice.`)
        else if (isCut) blame(name, `The ${name} is too long.`)
        else if (value.includes('\ufffd')) blame(name, `The ${name} must be text in UTF-8.`)
        fields.set(name, value)
      })
      parser.on('file', (name, content, filename) => {
        // What ends in the middle of a part is told by the parser as well.
        content.on('error', () => undefined)
        if (name === field && !taken) {
          stream = content
          taken = take({ filename, content })
          taken.catch(reject)
          return
        }
        blame(
          name,
          name === field ? `The ${field} is there twice.` : `There is no file "${name}" to be sent: its field is ${field}.`,
        )
        content.resume()
      })
      // What it has behind them is not worth the time to look at.
      parser.on('partsLimit', () => reject(new InvalidInput({ [field]: [`The form has more than ${LIMITS.parts} parts.`] })))
      // It has no other errors: the form is not of this kind, or ends too early.
      parser.on('error', () => reject(new InvalidInput({ [field]: [CUT_SHORT] })))
      parser.on('finish', resolve)
      raw.on('close', () => raw.complete || reject(new BadRequest('The body was broken off.')))
      let left = most
      raw.on('data', ({ length }: Buffer) => {
        left -= length
        if (left < 0) reject(new TooLarge('The form is too large.'))
      })
      raw.pipe(parser)
    })
    return { fields, file: await taken, errors: Object.fromEntries(errors) }
  } catch (error) {
    raw.unpipe(parser)
    raw.resume()
    stream?.destroy(error instanceof Error ? error : undefined)
    // What it has begun is over by then.
    await taken?.catch(() => undefined)
    throw error
  }
}

/** Returns a parser of the form that a request brings; throws UnsupportedMediaType where it brings none. */
export function parserOf({ headers }: IncomingMessage, { parts }: { readonly parts: number } = LIMITS): BusboyInstance {
  try {
    // Whatever has a name of a file is one, also an empty one.
    const isPartAFile = (_field: string | undefined, _type: string | undefined, name: string | undefined) => name !== undefined
    return new Busboy({ headers: headers as BusboyHeaders, limits: { ...LIMITS, parts }, isPartAFile })
  } catch {
    throw new UnsupportedMediaType('The Content-Type names no boundary of the form.')
  }
}
