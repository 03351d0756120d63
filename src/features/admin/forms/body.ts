import { Transform } from 'node:stream'
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify'
import { pairsOf } from '#http/requests/url-encoded.ts'
import { BadRequest, TooLarge, UnsupportedMediaType } from '#lib/errors.ts'
import { type FormFields, formValues } from './form-values.ts'

/** A form that was sent. */
export interface FormBody {
  readonly values: FormFields
  /** Names that came more than once, but for those that end in `[]`: of these, `values` has the last. */
  readonly doubled: ReadonlySet<string>
  /** Names and values as they came. */
  readonly pairs: readonly (readonly [name: string, value: string])[]
}

/** A text of 1 MiB is over 3 MiB in percent-encoding, and comes with others. */
const MOST_BYTES = 8 * 1024 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'
const MOST_OF_STRANGERS = 4 * 1024 * 1024
const MOST_FIELDS = 5000
const [SPACE, PLUS] = [32, 43]
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Takes bodies of `application/x-www-form-urlencoded` in a scope of routes, up to 8 MiB, of those whom `isTrusted` does not name up
 * to 4 MiB; `request.body` is a FormBody.
 */
export function useFormBodies(scope: FastifyInstance, isTrusted: (request: FastifyRequest) => boolean = () => true): void {
  const options = { parseAs: 'buffer', bodyLimit: MOST_BYTES } as const
  scope.addHook('preParsing', async (request, _reply, payload) => {
    const isForm = request.headers['content-type']?.toLowerCase().startsWith(FORM_TYPE) === true
    return isForm && !isTrusted(request) ? bounded(payload) : payload
  })
  scope.addContentTypeParser<Buffer>(FORM_TYPE, options, (request, bytes, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') return done(new UnsupportedMediaType('Send the form as it is, without Content-Encoding.'))
    try {
      done(null, parseForm(bytes))
    } catch (error) {
      done(error instanceof Error ? error : notEncoded())
    }
  })
}

/** Passes a body on as long as it is not too long for somebody who is not known. */
function bounded(payload: RequestPayload): RequestPayload {
  let left = MOST_OF_STRANGERS
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length
      if (left < 0) done(new TooLarge('The form is larger than this page takes from somebody who is not signed in.'))
      else done(null, chunk)
    },
  })
  payload.on('error', (error) => measure.destroy(error))
  return payload.pipe(measure)
}

/** Parses a form's body. Throws BadRequest where it is not in UTF-8, has more than 5,000 fields, or names that `formValues` refuses. */
export function parseForm(bytes: Buffer): FormBody {
  const pairs: (readonly [string, string])[] = []
  for (const [name, value] of pairsOf(textOf(bytes))) {
    if (name === undefined || value === undefined) throw notEncoded()
    if (pairs.length === MOST_FIELDS) throw new BadRequest(`The form has more than ${MOST_FIELDS.toLocaleString('en')} fields.`)
    pairs.push([name, value])
  }
  return formBodyOf(pairs)
}

/** Returns the form that sent these names and values. Throws BadRequest for names that `formValues` refuses. */
export function formBodyOf(pairs: FormBody['pairs']): FormBody {
  return { values: formValues(pairs), doubled: doubledIn(pairs), pairs }
}

function doubledIn(pairs: FormBody['pairs']): ReadonlySet<string> {
  const seen = new Set<string>()
  const doubled = new Set<string>()
  for (const [name] of pairs) {
    if (seen.has(name) && !name.endsWith('[]')) doubled.add(name)
    seen.add(name)
  }
  return doubled
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(withSpaces(bytes))
  } catch {
    throw notEncoded()
  }
}

/** A text of many spaces takes 20 times as long to be replaced as a string. */
function withSpaces(bytes: Buffer): Buffer {
  const made = Buffer.from(bytes)
  for (let at = made.indexOf(PLUS); at >= 0 && at < made.length; at++) if (made[at] === PLUS) made[at] = SPACE
  return made
}

function notEncoded(): BadRequest {
  return new BadRequest('The form is not well encoded in UTF-8.')
}
